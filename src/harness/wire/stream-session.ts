/** One observed stream, whatever carried it: frames as they come, how it ended, and waiting for either. */
import { KEY } from '../../profile/names.js';
import { DeadlinePassed } from '../lab/deadline.js';
import type { Frame, Json, ProbeAnswer, Session, StreamEnd } from './probe.js';
import { SseReader } from './sse.js';

interface Control {
  close(): void;
  pause(): void;
  resume(): void;
}

export class StreamSession implements Session {
  readonly frames: Frame[] = [];
  readonly refusal: Promise<ProbeAnswer | undefined>;
  readonly ended: Promise<StreamEnd>;
  readonly #control: Control;
  readonly #reader = new SseReader();
  #settleRefusal: (answer: ProbeAnswer | undefined) => void = () => {};
  #settleEnd: (end: StreamEnd) => void = () => {};
  #done = false;
  #closedByUs = false;
  #looks: (() => void)[] = [];

  constructor(control: Control) {
    this.#control = control;
    this.refusal = new Promise((resolve) => {
      this.#settleRefusal = resolve;
    });
    this.ended = new Promise((resolve) => {
      this.#settleEnd = resolve;
    });
  }

  opened(): void {
    this.#settleRefusal(undefined);
  }

  refuse(answer: ProbeAnswer): void {
    this.#settleRefusal(answer);
    this.end('refused');
  }

  /** `result` takes the stream item out of the binding's envelope. */
  bytes(chunk: Uint8Array, result: (json: Json) => Json | undefined): void {
    for (const { data } of this.#reader.push(chunk)) {
      this.frames.push(frameOf(this.frames.length, this.#item(data, result)));
    }
    for (const look of [...this.#looks]) look();
  }

  /** One item, where the binding has frames of its own. */
  item(json: Json): void {
    this.frames.push(frameOf(this.frames.length, json));
    for (const look of [...this.#looks]) look();
  }

  /** Something that should not have been. */
  note(text: string): void {
    this.#reader.strange.push(text.slice(0, 200));
  }

  beat(): void {
    this.#reader.comments += 1;
  }

  /** What is no item shows as one of kind `other`: thrown from a socket's event, it would end the whole run. */
  #item(data: string, result: (json: Json) => Json | undefined): Json {
    try {
      const item: unknown = result(JSON.parse(data) as Json) ?? {};
      if (typeof item === 'object' && item !== null) return item as Json;
    } catch {
      // Said below: the text is no JSON, or JSON of another kind.
    }
    this.#reader.strange.push(data.slice(0, 200));
    return {};
  }

  end(how: StreamEnd | 'late'): void {
    if (this.#done) return;
    this.#done = true;
    this.#settleRefusal(undefined);
    this.#settleEnd(this.#closedByUs ? 'closed-by-us' : how === 'late' ? 'cut' : how);
    for (const look of [...this.#looks]) look();
  }

  until(enough: (frames: readonly Frame[]) => boolean, deadlineMs = 15_000): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        clearTimeout(timer);
        this.#looks = this.#looks.filter((one) => one !== look);
        act();
      };
      const fail = (why: string) =>
        settle(() =>
          reject(
            new DeadlinePassed(
              `${why} after ${this.frames.length} frames, the last at sequence ${this.frames.at(-1)?.sequence ?? 'none'}`,
            ),
          ),
        );
      const look = () => {
        if (enough(this.frames)) settle(resolve);
        else if (this.#done) fail('the stream ended');
      };
      const timer = setTimeout(() => fail(`not within ${deadlineMs} ms`), deadlineMs);
      this.#looks.push(look);
      look();
    });
  }

  heartbeats(): number {
    return this.#reader.comments;
  }

  strange(): string[] {
    return this.#reader.strange;
  }

  pause(): void {
    this.#control.pause();
  }

  resume(): void {
    this.#control.resume();
  }

  close(): void {
    this.#closedByUs = true;
    this.#control.close();
    this.end('closed-by-us');
  }
}

/** A stream item with the position that it claims. */
export function frameOf(at: number, json: Json): Frame {
  const kind =
    'task' in json
      ? 'task'
      : 'statusUpdate' in json
        ? 'status'
        : 'artifactUpdate' in json
          ? 'artifact'
          : 'other';
  const inner = (json.task ?? json.statusUpdate ?? json.artifactUpdate) as { metadata?: Json } | undefined;
  const position = inner?.metadata?.[KEY.event] as { sequence?: number; cursor?: string } | undefined;
  return {
    at,
    json,
    kind,
    ...(position?.sequence === undefined ? {} : { sequence: position.sequence }),
    ...(position?.cursor === undefined ? {} : { cursor: position.cursor }),
  };
}
