/** `oab-gate verify FILE --trust KEY`. */
import { Command } from 'commander';
import type { JWK } from 'jose';
import { EXIT } from '../../gate/exit-code.js';
import { readKey } from '../../report/decision-key.js';
import { sentence } from '../../report/sentence.js';
import { verifyVerdict } from '../../report/verify.js';
import { UsageError } from '../usage-error.js';

export function verifyCommand(): Command {
  return new Command('verify')
    .description('verify a signed verdict, the verdict.json beside it and every evidence file, offline')
    .argument('<file>', 'verdict.jws')
    .option('--trust <key>', 'public JWK of the signer that you trust; a key in the file never counts')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Examples:
  oab-gate verify out/verdict.jws --trust .oab-gate/verdict.pub.jwk
Exit codes: 0 verified, 3 intact but the signer is unknown (no --trust), 1 not verified.`,
    )
    .action(verify);
}

async function verify(file: string, options: { trust?: string; json?: boolean }): Promise<void> {
  let trust: JWK | undefined;
  try {
    trust = options.trust === undefined ? undefined : readKey(options.trust, 'public');
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  const { problems, signer, verdict, files } = await verifyVerdict(file, trust);
  process.exitCode = problems.length > 0 ? 1 : signer === 'unknown' ? EXIT.untrusted : 0;
  if (options.json === true) {
    console.log(
      JSON.stringify({
        verified: process.exitCode === 0,
        signer,
        files,
        problems,
        decision: verdict?.decision,
      }),
    );
    return;
  }
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) console.error('NOT VERIFIED');
  else if (signer === 'unknown') {
    console.log(
      `integrity only, signer unknown: ${files} evidence files are what was signed; give --trust KEY to know by whom`,
    );
  } else console.log(`verified: ${files} evidence files. ${verdict === undefined ? '' : sentence(verdict)}`);
}
