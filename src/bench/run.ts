/** Runs measurements: a warm-up of all arms, then rounds in which they are read in turn (A B A B). */
import type { Aim, Arm, Measurement, Missing } from './measurement.js';
import type { Launch } from './side.js';
import { isMet, ratios, type Spread, spread } from './stats.js';

export interface Result {
  name: string;
  title: string;
  unit: string;
  note?: string;
  arms: { label: string; readings: number[]; spread: Spread }[];
  ratio: Spread & { of: string };
  /** The ratio of the CPU that the two servers spent on a reading, what ran on after the clock included. */
  cpuRatio?: Spread;
  /** The first arm over each one after the second. */
  others?: Compared[];
  missing?: readonly Missing[];
  /** `met` is not there where the arm that the aim is about could not be read. */
  aims: (Aim & { met?: boolean })[];
}

interface Compared {
  ratio: Spread & { of: string };
  cpuRatio?: Spread;
}

export interface Progress {
  name: string;
  /** `start`, `warm-up`, the round that begins, or what is missing. */
  step: 'start' | 'warm-up' | number | Missing;
  of: number;
}

interface Read {
  arm: Arm;
  values: number[];
  cpu: number[];
}

/** Rejects when a reading does: a figure that is missing is not made up for. */
export async function measure(
  measurement: Measurement,
  launch: Launch,
  most: number,
  progress: (step: Progress) => void,
): Promise<Result> {
  const { name, title, unit, note, aims, mostRounds = most } = measurement;
  const rounds = Math.min(most, mostRounds);
  const tell = (step: Progress['step']) => progress({ name, step, of: rounds });
  tell('start');
  const { arms, missing = [], close } = await measurement.open(launch, rounds);
  try {
    for (const one of missing) tell(one);
    tell('warm-up');
    for (const arm of arms) await arm.read();
    const reads = arms.map((arm): Read => ({ arm, values: [], cpu: [] }));
    for (let round = 1; round <= rounds; round += 1) {
      tell(round);
      for (const { arm, values, cpu } of reads) {
        const read = await reading(arm);
        values.push(read.value);
        if (read.cpu !== undefined) cpu.push(read.cpu);
      }
    }
    const [first, second, ...further] = reads as [Read, Read, ...Read[]];
    const main = compared(first, second);
    return {
      name,
      title,
      unit,
      ...(note === undefined ? {} : { note }),
      arms: reads.map(({ arm, values }) => ({
        label: arm.label,
        readings: values,
        spread: spread(values),
      })),
      ...main,
      ...(further.length === 0 ? {} : { others: further.map((other) => compared(first, other)) }),
      ...(missing.length === 0 ? {} : { missing }),
      aims: aims.map((aim) => judged(aim, second, main.ratio.median, spread(first.values).median)),
    };
  } finally {
    await close();
  }
}

function judged(aim: Aim, second: Read, ratio: number, first: number): Result['aims'][number] {
  if (aim.over !== undefined && aim.over !== second.arm.label) return aim;
  return { ...aim, met: isMet(aim, aim.of === 'ratio' ? ratio : first) };
}

function compared(first: Read, other: Read): Compared {
  return {
    ratio: { ...spread(ratios(first.values, other.values)), of: `${first.arm.label}/${other.arm.label}` },
    ...(first.cpu.length === 0 ? {} : { cpuRatio: spread(ratios(first.cpu, other.cpu)) }),
  };
}

/** One reading, and the µs of CPU that its servers spent on it, the collections before and after apart. */
async function reading(arm: Arm): Promise<{ value: number; cpu?: number }> {
  const before = await arm.usage?.();
  const value = await arm.read();
  const after = await arm.usage?.();
  if (before === undefined || after === undefined) return { value };
  return { value, cpu: after.cpuBefore - before.cpuAfter };
}
