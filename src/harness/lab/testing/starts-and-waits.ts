/** Starts a process that never ends and makes a folder, says which, and waits to be told to end. */
import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endWithUs, removeWithUs } from '../with-us.js';

const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
endWithUs(child);
const folder = mkdtempSync(join(tmpdir(), 'oab-with-us-'));
removeWithUs(folder);
const kept = mkdtempSync(join(tmpdir(), 'oab-with-us-'));
removeWithUs(kept)();
console.log(JSON.stringify({ pid: child.pid, folder, kept }));
setInterval(() => {}, 1000);
