import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { openLab } from './lab.js';
import type { Lab } from './ports.js';
import { MemoryUnreadable, readMemory } from './process-memory.js';

/** The words are made in the process, so that they are nowhere in its program or arguments, all over 5 MB. */
const KEEPS = `const { createHash } = require('node:crypto');
const word = (i) => createHash('sha256').update('word ' + i).digest('hex');
const kept = Buffer.alloc(5_000_000);
for (let i = 0; i < 200; i += 1) kept.write(word(i), i * 24_991, 'latin1');
console.log(JSON.stringify({ ready: true, listen: {}, pid: process.pid, version: '1' }));
setInterval(() => kept.length, 1000);`;

describe('the memory of a process', () => {
  let lab: Lab;
  beforeEach(async () => {
    lab = await openLab({ caseId: 'memory', seed: '1' });
  });
  afterEach(() => lab.close());

  it('is read whole, also where two pieces meet, or it says that there is none', async () => {
    const { pid } = await lab.startPeer({ name: 'keeper', argv: [process.execPath, '-e', KEEPS] });
    const missing = new Set(
      Array.from({ length: 200 }, (_, i) => createHash('sha256').update(`word ${i}`).digest('hex')),
    );
    const reading = readMemory(pid, 63, (piece) => {
      for (const word of missing) if (piece.includes(word)) missing.delete(word);
    });
    if (existsSync('/proc/self/mem')) {
      const total = await reading;
      assert.equal(missing.size, 0, `${missing.size} of 200 words were not found in ${total} bytes`);
    } else await assert.rejects(reading, MemoryUnreadable);
  });

  it('says so when it cannot be read', async () => {
    const peer = await lab.startPeer({ name: 'keeper', argv: [process.execPath, '-e', KEEPS] });
    await peer.kill();
    await assert.rejects(
      readMemory(peer.pid, 0, () => {}),
      MemoryUnreadable,
    );
  });
});
