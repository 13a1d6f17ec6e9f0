import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const START = fileURLToPath(new URL('./start-program.cjs', import.meta.url));

describe('the start of a bundled program', () => {
  let folder: string;
  let bundle: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'oab-start-'));
    bundle = join(folder, 'program.cjs');
    write('one');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Programs of the same length, which is all that V8 itself compares. */
  const write = (word: string) =>
    writeFileSync(bundle, `#!/usr/bin/env node\nconsole.log('${word}', __filename);\n`);
  const node = (code: string, ...flags: string[]) => {
    const { stdout, stderr, status } = spawnSync(process.execPath, [...flags, '-e', code], {
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
    return stdout.trim();
  };
  const started = (...flags: string[]) =>
    node(`require(${JSON.stringify(START)}).start(${JSON.stringify(bundle)})`, ...flags);
  const keep = () =>
    node(`
      const { readFileSync, writeFileSync } = require('node:fs');
      const { compile, digest } = require(${JSON.stringify(START)});
      const code = readFileSync(${JSON.stringify(bundle)});
      const cached = compile(${JSON.stringify(bundle)}, code).createCachedData();
      writeFileSync(${JSON.stringify(`${bundle}.cache`)}, Buffer.concat([digest(code, cached), cached]));`);

  it('needs no kept code, and takes what there is', () => {
    assert.equal(started(), `one ${bundle}`);
    keep();
    assert.equal(started(), `one ${bundle}`);
    assert.equal(started('--enable-source-maps'), `one ${bundle}`);
    assert.equal(
      node(`
        const { readFileSync } = require('node:fs');
        const { compile } = require(${JSON.stringify(START)});
        const path = ${JSON.stringify(bundle)};
        console.log(compile(path, readFileSync(path), readFileSync(path + '.cache').subarray(32)).cachedDataRejected);`),
      'false',
    );
  });

  it('never runs the kept code of another program', () => {
    keep();
    write('two');
    assert.equal(started(), `two ${bundle}`);
  });

  it('passes over kept code that is damaged, cut short, or made with other flags', () => {
    keep();
    const good = readFileSync(`${bundle}.cache`);
    for (const at of [0, 40, good.length - 1]) {
      const bad = Buffer.from(good);
      bad[at] = (bad[at] ?? 0) ^ 255;
      writeFileSync(`${bundle}.cache`, bad);
      assert.equal(started(), `one ${bundle}`);
    }
    for (const length of [0, 31, 32, good.length - 1]) {
      writeFileSync(`${bundle}.cache`, good.subarray(0, length));
      assert.equal(started(), `one ${bundle}`);
    }
    writeFileSync(`${bundle}.cache`, good);
    assert.equal(started('--no-opt'), `one ${bundle}`);
  });
});
