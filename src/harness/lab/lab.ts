/** The laboratory of one case: what it makes is counted, shown in its evidence, and taken down with it. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Authority, openAuthority } from '../../identity/testing/authority.js';
import { Undetermined } from '../check.js';
import type { Injector } from '../faults/injector.js';
import { openInjector } from '../faults/open-injector.js';
import { linkFaults } from '../faults/registry.js';
import { selfTests } from '../faults/self-test.js';
import { randomFor } from '../seed.js';
import { openHolds } from './holds.js';
import { openLink } from './link.js';
import type { Lab, LabProcess, Link, ProcessSpec } from './ports.js';
import { startCommand, startPeer } from './process.js';
import { descendants, endLeftovers } from './process-tree.js';
import { removeWithUs } from './with-us.js';

/** A fault that does not take, or does not go away, would make every verdict that rests on it a guess. */
async function openProven(seed: string): Promise<Injector> {
  const injector = await openInjector(seed);
  const wrong = await selfTests(
    linkFaults.filter(({ by }) => by === 'toxiproxy'),
    injector,
  );
  if (wrong.length === 0) return injector;
  await injector.close();
  throw new Undetermined(`the self-test of the fault injector (${injector.kind}): ${wrong.join('; ')}`);
}

/** One fault injector serves a whole run; it is started when the first link needs it. */
class SharedInjector {
  #opening: Promise<Injector> | undefined;

  open = (seed: string): Promise<Injector> => (this.#opening ??= openProven(seed));

  /** The injector that was used, for the verdict. */
  async used(): Promise<Injector | undefined> {
    // One that could not be had made its cases undetermined, which is all that there is to say.
    return this.#opening?.catch(() => undefined);
  }

  async close(): Promise<void> {
    const injector = await this.used();
    this.#opening = undefined;
    await injector?.close();
  }
}

export const sharedInjector = new SharedInjector();

export async function openLab(options: { caseId: string; seed: string }): Promise<Lab> {
  const folder = mkdtempSync(join(tmpdir(), 'oab-lab-'));
  const removed = removeWithUs(folder);
  // What a killed process leaves of its temporary files goes with the lab.
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary);
  const here = (spec: ProcessSpec): ProcessSpec => ({ ...spec, env: { TMPDIR: temporary, ...spec.env } });
  const closers: { what: string; close: () => Promise<void> | void }[] = [];
  const processes: LabProcess[] = [];
  /** Whose exit code is an answer, and no sign of trouble. */
  const commands = new Set<LabProcess>();
  const links: Link[] = [];
  let authority: Promise<Authority> | undefined;
  const onClose = (what: string, close: () => Promise<void> | void) => void closers.push({ what, close });

  return {
    ...options,
    folder,
    authority: () => (authority ??= openAuthority(folder)),
    random: (link, direction = '', index = 0) =>
      randomFor({ seed: options.seed, case: options.caseId, link, direction, index }),
    async link(name, upstream) {
      const link = await openLink(name, upstream, () => sharedInjector.open(options.seed));
      links.push(link);
      onClose(`link ${name}`, () => link.close());
      return link;
    },
    async startPeer(spec) {
      const peer = await startPeer(here(spec));
      processes.push(peer);
      onClose(spec.name, async () => void (await peer.kill()));
      return peer;
    },
    startCommand(spec) {
      const command = startCommand(here(spec));
      processes.push(command);
      commands.add(command);
      onClose(spec.name, async () => void (await command.kill()));
      return command;
    },
    holds(at) {
      const holds = openHolds(at);
      onClose('hold points', () => holds.close());
      return holds;
    },
    onClose,
    unaskedExits: () =>
      processes.flatMap((one) => {
        const reason = one.exit?.reason;
        const answer = commands.has(one) && reason?.startsWith('exit code') === true;
        return reason === undefined || answer ? [] : [`${one.name}: ${reason}`];
      }),
    evidence() {
      const found: Record<string, string> = {};
      for (const one of processes) if (one.stderr() !== '') found[`${one.name}.stderr.txt`] = one.stderr();
      for (const link of links) found[`${link.name}.wire.txt`] = link.tap.transcript();
      return found;
    },
    async close() {
      const failed: string[] = [];
      const attempt = async (what: string, close: () => unknown) => {
        try {
          await close();
        } catch (error) {
          failed.push(`${what}: ${(error as Error).message}`);
        }
      };
      // Whose children they are can only be seen while the parents live.
      const children = descendants(processes.flatMap(({ pid, exit }) => (exit === undefined ? [pid] : [])));
      for (const { what, close } of closers.reverse()) await attempt(what, close);
      await attempt('what the processes left running', () => endLeftovers(children, folder));
      rmSync(folder, { recursive: true, force: true });
      removed();
      if (failed.length > 0) throw new Error(`not closed: ${failed.join('; ')}`);
    },
  };
}
