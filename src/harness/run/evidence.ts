/** What a case leaves behind: redacted, bounded files in a folder of its own. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { redact } from '../../telemetry/redact.js';

const MAX_FILE = 1024 * 1024;
const MAX_FILES = 64;
/** What explains a failure finds its place however much else there is. */
const ALWAYS = ['failure.txt', 'findings.json', 'capsule.json'];

export class Evidence {
  readonly files: string[] = [];
  readonly #out: string;
  readonly #folder: string;

  /** `caseId` becomes the folder below `out/evidence`. */
  constructor(out: string, caseId: string) {
    this.#out = out;
    this.#folder = join('evidence', ...caseId.split('/').map((part) => part.replace(/[^\w.+-]/g, '_')));
  }

  /** A string as it is, anything else as JSON. */
  write(name: string, content: unknown): void {
    if (this.files.length >= MAX_FILES && !ALWAYS.includes(name)) return;
    const text = typeof content === 'string' ? content : `${JSON.stringify(content, null, 1)}\n`;
    const clean = redact(text);
    const bounded =
      clean.length > MAX_FILE ? `${clean.slice(0, MAX_FILE)}\n[cut at ${MAX_FILE} characters]\n` : clean;
    const path = join(this.#folder, name.replace(/[^\w.+-]/g, '_'));
    mkdirSync(join(this.#out, this.#folder), { recursive: true });
    writeFileSync(join(this.#out, path), bounded);
    if (!this.files.includes(path)) this.files.push(path);
  }
}

/** For runs that only look for something: nothing is kept. */
export class NoEvidence extends Evidence {
  constructor() {
    super('', '');
  }

  override write(): void {}
}
