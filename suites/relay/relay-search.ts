/** Where a relay could keep what passes through it: its memory while it runs, its logs, and what both its links carried. */
import { Undetermined } from '../../src/harness/check.js';
import {
  encodedNeedles,
  type Needle,
  needlesOf,
  SecretSearch,
} from '../../src/harness/checkers/secret-search.js';
import type { Direction, Link } from '../../src/harness/lab/ports.js';
import { MemoryUnreadable, readMemory } from '../../src/harness/lab/process-memory.js';
import type { RelaySubject } from '../../src/harness/subjects/relay-subject.js';

type Place = 'memory' | 'logs' | 'captures';

/** The type of every agent token (profile section 1): it stands encoded in each of them, and plain in programs. */
const AGENT_TOKEN = 'oab-agent+jwt';
const DIRECTIONS: readonly Direction[] = ['upstream', 'downstream'];

export class RelaySearch {
  readonly #relay: RelaySubject;
  readonly #secrets: Record<Place, SecretSearch>;
  /** What is there by right: a search that does not even find that proves nothing. */
  readonly #known: Record<Place, { text: string; search: SecretSearch }>;

  /** `route` is the executor's, which the relay is configured with and logs. */
  constructor(relay: RelaySubject, route: string) {
    this.#relay = relay;
    const search = () => new SecretSearch(encodedNeedles('any agent token', AGENT_TOKEN));
    this.#secrets = { memory: search(), logs: search(), captures: search() };
    const known = (text: string) => ({ text, search: new SecretSearch(plain(text)) });
    // In a capture only the name of the relay can be read, in each hello (RFC 6066 section 3).
    this.#known = { memory: known(route), logs: known(route), captures: known(relay.servername) };
  }

  /** From now on this text is looked for too. */
  add(what: string, text: string): void {
    const needles = needlesOf(what, text);
    for (const search of Object.values(this.#secrets)) search.add(needles);
  }

  /** A token is found by its signature, which is nowhere else. */
  addToken(token: string): void {
    this.add('agent token', token.slice(token.lastIndexOf('.') + 1));
  }

  async lookIntoMemory(): Promise<void> {
    const [secrets, known] = [this.#secrets.memory, this.#known.memory.search];
    const overlap = Math.max(secrets.overlap, known.overlap);
    try {
      await readMemory(this.#relay.pid(), overlap, (piece) => {
        secrets.look(piece);
        known.look(piece);
      });
    } catch (error) {
      if (error instanceof MemoryUnreadable) throw new Undetermined(error.message);
      throw error;
    }
  }

  /** Logs and captures, once all is said. */
  lookIntoFiles(links: readonly Link[]): void {
    this.#look('logs', this.#relay.logs());
    for (const { name, tap } of links)
      for (const connection of tap.connections)
        for (const direction of DIRECTIONS) {
          const recorded = connection.recorded(direction);
          if (recorded.length < connection.received[direction])
            throw new Undetermined(`of ${name} not all was recorded`);
          this.#look('captures', recorded);
        }
  }

  #look(place: Place, bytes: Buffer): void {
    this.#secrets[place].look(bytes);
    this.#known[place].search.look(bytes);
  }

  /** Secrets that were found, each with its place and form. */
  found(place: Place): string[] {
    return this.#secrets[place].found.map((name) => `${name} in ${place}`);
  }

  /** Throws Undetermined where not even what the relay has by right was found. */
  mustSee(): void {
    for (const [place, { text, search }] of Object.entries(this.#known))
      if (search.found.length === 0)
        throw new Undetermined(`the search does not find ${text} in the ${place}, where it is by right`);
  }
}

function plain(text: string): Needle[] {
  return [{ name: text, bytes: Buffer.from(text) }];
}
