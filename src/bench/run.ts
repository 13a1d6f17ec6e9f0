/** Runs measurements: a warm-up of both arms, then rounds in which they are read in turn (A B A B). */
import type { Aim, Arm, Measurement } from './measurement.js';
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
  aims: (Aim & { met: boolean })[];
}

export interface Progress {
  name: string;
  /** `start`, `warm-up`, or the round that begins. */
  step: 'start' | 'warm-up' | number;
  of: number;
}

/** Rejects when a reading does: a figure that is missing is not made up for. */
export async function measure(
  measurement: Measurement,
  launch: Launch,
  rounds: number,
  progress: (step: Progress) => void,
): Promise<Result> {
  const { name, title, unit, note, aims } = measurement;
  const tell = (step: Progress['step']) => progress({ name, step, of: rounds });
  tell('start');
  const opened = await measurement.open(launch, rounds);
  try {
    const [first, second] = opened.arms;
    tell('warm-up');
    await first.read();
    await second.read();
    const readings: [number[], number[]] = [[], []];
    const cpu: [number[], number[]] = [[], []];
    for (let round = 1; round <= rounds; round += 1) {
      tell(round);
      for (const [index, arm] of [first, second].entries()) {
        const read = await reading(arm);
        readings[index as 0 | 1].push(read.value);
        if (read.cpu !== undefined) cpu[index as 0 | 1].push(read.cpu);
      }
    }
    const summed = (arm: Arm, values: number[]) => ({
      label: arm.label,
      readings: values,
      spread: spread(values),
    });
    const arms = [summed(first, readings[0]), summed(second, readings[1])];
    const ratio = { ...spread(ratios(...readings)), of: `${first.label}/${second.label}` };
    return {
      name,
      title,
      unit,
      ...(note === undefined ? {} : { note }),
      arms,
      ratio,
      ...(cpu[0].length === 0 ? {} : { cpuRatio: spread(ratios(...cpu)) }),
      aims: aims.map((aim) => ({
        ...aim,
        met: isMet(aim, aim.of === 'ratio' ? ratio.median : spread(readings[0]).median),
      })),
    };
  } finally {
    await opened.close();
  }
}

/** One reading, and the µs of CPU that its server spent on it, the collections before and after apart. */
async function reading(arm: Arm): Promise<{ value: number; cpu?: number }> {
  const before = await arm.usage?.();
  const value = await arm.read();
  const after = await arm.usage?.();
  if (before === undefined || after === undefined) return { value };
  return { value, cpu: after.cpuBefore - before.cpuAfter };
}
