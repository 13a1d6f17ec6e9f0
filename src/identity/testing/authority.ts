/** A certificate authority for laboratories and tests: PEM files for every peer that ends or starts TLS (RFC 5280). */
// What the certificate library's injection container needs to be there before it.
import 'reflect-metadata';

import { createPublicKey, randomBytes, webcrypto, X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as x509 from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;

export interface IssueOptions {
  /** DNS names that the certificate is for. */
  dns?: readonly string[];
  /** URI names, such as `oab:gate`. */
  uris?: readonly string[];
  notBefore?: Date;
  notAfter?: Date;
}

/** Paths of the files of one certificate. */
export interface Issued {
  cert: string;
  /** PKCS #8, mode 0600. */
  key: string;
  /** The public key as a JWK, as a pin (`tls_key`) wants it. */
  jwk: string;
}

export interface Authority {
  /** PEM file of the authority's own certificate. */
  readonly ca: string;
  /** Writes `NAME.crt`, `NAME.key` and `NAME.tls.jwk` into the folder. */
  issue(name: string, options: IssueOptions): Promise<Issued>;
}

/** A fresh authority whose files live in `folder`; `name` tells several of one laboratory apart. */
export async function openAuthority(folder: string, name = 'ca'): Promise<Authority> {
  x509.cryptoProvider.set(webcrypto as never);
  const keys = await newKeys();
  const from = new Date(Date.now() - DAY_MS);
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: `CN=${name} of the laboratory`,
    notBefore: from,
    notAfter: new Date(Date.now() + DAY_MS),
    signingAlgorithm: ALGORITHM,
    keys: keys as never,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  });
  const ca = join(folder, `${name}.crt`);
  writeFileSync(ca, `${root.toString('pem')}\n`);
  return {
    ca,
    async issue(
      subject,
      { dns = [], uris = [], notBefore = from, notAfter = new Date(Date.now() + DAY_MS) },
    ) {
      const own = await newKeys();
      const certificate = await x509.X509CertificateGenerator.create({
        serialNumber: serial(),
        subject: `CN=${subject}`,
        issuer: root.subject,
        notBefore,
        notAfter,
        signingAlgorithm: ALGORITHM,
        publicKey: own.publicKey as never,
        signingKey: keys.privateKey as never,
        extensions: [
          new x509.SubjectAlternativeNameExtension([
            ...dns.map((value) => ({ type: 'dns' as const, value })),
            ...uris.map((value) => ({ type: 'url' as const, value })),
          ]),
        ],
      });
      const at = (ending: string) => join(folder, `${subject}.${ending}`);
      const pem = certificate.toString('pem');
      writeFileSync(at('crt'), `${pem}\n`);
      const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', own.privateKey));
      writeFileSync(at('key'), x509.PemConverter.encode(pkcs8 as never, 'PRIVATE KEY'), { mode: 0o600 });
      const jwk = createPublicKey(new X509Certificate(pem).publicKey.export({ type: 'spki', format: 'pem' }));
      writeFileSync(at('tls.jwk'), `${JSON.stringify(jwk.export({ format: 'jwk' }))}\n`);
      return { cert: at('crt'), key: at('key'), jwk: at('tls.jwk') };
    },
  };
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, [
    'sign',
    'verify',
  ]) as Promise<webcrypto.CryptoKeyPair>;
}

function serial(): string {
  // Positive, as RFC 5280 4.1.2.2 wants it.
  return `00${randomBytes(16).toString('hex')}`;
}
