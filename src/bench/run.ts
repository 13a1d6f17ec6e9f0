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
    for (let round = 1; round <= rounds; round += 1) {
      tell(round);
      readings[0].push(await first.read());
      readings[1].push(await second.read());
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
      aims: aims.map((aim) => ({
        ...aim,
        met: isMet(aim, aim.of === 'ratio' ? ratio.median : spread(readings[0]).median),
      })),
    };
  } finally {
    await opened.close();
  }
}
