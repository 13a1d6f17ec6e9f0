/** What a checker found wrong in a recorded history, in words that name the rule, the subject and the place. */

export const RULES = [
  'exactly-once',
  'one-log',
  'order',
  'lifecycle',
  'one-terminal',
  'chain',
  'one-result',
  'authority',
  'privacy',
  'coordinator',
] as const;

export type Rule = (typeof RULES)[number];

export interface Finding {
  rule: Rule;
  /** The subject whose recorded words these are. */
  subject: string;
  /** One sentence: what was seen, where, and what it contradicts. */
  what: string;
}

/** What a checker is given to tell what it found. */
export type Report = (rule: Rule, what: string) => void;

/** More than this of one case help nobody. */
const MOST = 32;

/** Collects findings, each once and no more than a person reads. */
export class Findings {
  readonly all: Finding[] = [];
  readonly #known = new Set<string>();

  /** A reporter in the name of one subject. */
  for(subject: string): Report {
    return (rule, what) => {
      const key = `${rule} ${subject} ${what}`;
      if (this.all.length >= MOST || this.#known.has(key)) return;
      this.#known.add(key);
      this.all.push({ rule, subject, what });
    };
  }
}

/** What a subject sent may be anything: where a checker cannot even read it, that is what was found. */
export function reading(report: Report, session: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    report('one-log', `${session} cannot be read: ${(error as Error).message}`);
  }
}
