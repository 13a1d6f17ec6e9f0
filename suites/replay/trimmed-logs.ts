/** Logs that begin at a retention floor: what was seen is called what it is, and a gap excuses no event that contradicts. */
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import type { FakeParts } from '../../src/harness/subjects/fake-parts.js';
import { headOf, pageOf, type Story, type StoryPage } from '../../src/harness/subjects/fake-story.js';
import type { Digest } from '../../src/profile/model.js';
import { alter, type Bend } from './bent-logs.js';
import { told } from './told.js';

interface Trimmed {
  /** How many events the first subscriber gets live, before its stream ends. */
  live: number;
  /** The last event that was trimmed, when the pages are read; 0: none was. */
  floor: number;
  /** What is told in place of the floor's head. */
  head?: Digest;
  bend?: Bend;
  observation: 'complete' | 'suffix' | 'incomplete' | 'contradicted';
}

const ANOTHER: Digest = `sha256:${'0'.repeat(64)}`;

/** What the coordinator sees of five events, and what it must call that (profile section 6). */
const TRIMMED: Record<string, Trimmed> = {
  whole: { live: 2, floor: 0, observation: 'complete' },
  'from-the-floor': { live: 0, floor: 3, observation: 'suffix' },
  'a-hole': { live: 2, floor: 3, observation: 'incomplete' },
  'altered-behind-the-floor': { live: 0, floor: 3, bend: alter(4), observation: 'contradicted' },
  'altered-behind-a-hole': { live: 2, floor: 3, bend: alter(4), observation: 'contradicted' },
  'a-floor-of-another-log': { live: 0, floor: 3, head: ANOTHER, observation: 'contradicted' },
};

function pageFrom({ floor, head, bend }: Trimmed, after: number, story: Story): StoryPage {
  const shown = bend === undefined ? story : { ...story, events: bend(story.events) };
  if (floor === 0) return pageOf(shown, after);
  return {
    ...pageOf(shown, Math.max(after, floor)),
    complete: after >= floor,
    floor: { sequence: floor, head: head ?? headOf(story, floor) },
  };
}

export async function trimmed(lab: CaseLab): Promise<void> {
  const asked = new Map<string, Trimmed>();
  const of = ({ envelope }: Story) => asked.get(envelope.request_id) as Trimmed;
  const parts: Partial<FakeParts> = {
    live: (events, story) => events.slice(0, of(story).live),
    page: (_page, after, story) => pageFrom(of(story), after, story),
  };
  await told(lab, parts, Object.keys(TRIMMED), {
    begin: (name, requestId) => void asked.set(requestId, TRIMMED[name] as Trimmed),
    judge(name, result, said) {
      const { observation } = TRIMMED[name] as Trimmed;
      const believed = observation !== 'contradicted';
      lab.expect(result?.observation === observation, `${name}: ${said}; what was seen is ${observation}`);
      lab.expect(
        believed
          ? result?.outcome === 'completed' && result.verified === true
          : result?.outcome === 'unknown' && result.verified === false && result.reason === 'LOG_MISMATCH',
        `${name}: ${said}; the signed result is ${believed ? 'to be believed' : 'not to be believed'}`,
      );
    },
  });
}
