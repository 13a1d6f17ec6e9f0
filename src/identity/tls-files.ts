/** A certificate with its key, and the CA that its clients must chain to, as PEM files that may be replaced while we run. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { fileStamp } from './file-stamp.js';
import { KeyFileError } from './key-file.js';

export interface TlsPaths {
  cert: string;
  key: string;
  /** PEM of the authorities that sign the other side's certificates. */
  ca?: string;
}

/** PEM texts, as node:tls takes them. */
export interface TlsMaterial {
  cert: string;
  key: string;
  ca?: string;
}

export interface TlsFiles {
  current(): TlsMaterial;
  /** Reads the files again if one changed, or always with `force`; files that are wrong change nothing and throw. */
  reload(force?: boolean): boolean;
}

/** Throws KeyFileError, with the path and what is wrong with it. */
export function openTlsFiles(paths: TlsPaths): TlsFiles {
  const stamp = () =>
    [paths.cert, paths.key, ...(paths.ca === undefined ? [] : [paths.ca])].map(fileStamp).join('; ');
  let material = readTls(paths);
  let seen = stamp();
  return {
    current: () => material,
    reload(force = false) {
      const now = stamp();
      if (!force && now === seen) return false;
      material = readTls(paths);
      seen = now;
      return true;
    },
  };
}

/** The certificates of one PEM file. Throws KeyFileError. */
export function readCertificates(path: string): string {
  const pem = readPem(path);
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new KeyFileError(`${path}: no PEM certificate`);
  for (const block of blocks) parseCertificate(path, block);
  return pem;
}

/** SHA-256 of the first certificate, as tools print it. */
export function fingerprint(pem: string): string {
  return new X509Certificate(pem).fingerprint256;
}

function readTls({ cert, key, ca }: TlsPaths): TlsMaterial {
  const certificates = readCertificates(cert);
  const material = { cert: certificates, key: readPem(key) };
  if (process.platform !== 'win32' && (statSync(key).mode & 0o077) !== 0)
    throw new KeyFileError(`${key}: holds a private key and others can read it; run chmod 600 on it`);
  if (!parseCertificate(cert, certificates).checkPrivateKey(privateKeyOf(key, material.key)))
    throw new KeyFileError(`${key}: is not the key of the certificate in ${cert}`);
  return ca === undefined ? material : { ...material, ca: readCertificates(ca) };
}

function privateKeyOf(path: string, pem: string) {
  try {
    return createPrivateKey(pem);
  } catch {
    throw new KeyFileError(`${path}: no private key in PEM without a passphrase`);
  }
}

function parseCertificate(path: string, pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw new KeyFileError(`${path}: a certificate that cannot be read`);
  }
}

function readPem(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new KeyFileError(`${path}: cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
  }
}
