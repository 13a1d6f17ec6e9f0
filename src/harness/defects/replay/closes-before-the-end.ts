import { KEY } from '../../../profile/names.js';
import type { Defect } from '../defect.js';

/** RPL-02: the end of the body is taken for the end of the task. */
export const closesBeforeTheEnd: Defect = {
  id: 'closes-before-the-end',
  breaks: 'on HTTP+JSON the stream of a streaming create is closed in place of its last event',
  fails: ['RPL-02', 'PRF-22'],
  bindings: ['HTTP+JSON'],
  shownBy: ['/created-by-streaming'],
  executor: (parts) => ({
    ...parts,
    writeEvents(response, frames, ...rest) {
      const created = response.req.url?.endsWith('/message:stream') === true;
      return parts.writeEvents(response, created ? withoutLast(frames) : frames, ...rest);
    },
  }),
};

async function* withoutLast(frames: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const frame of frames) {
    const events = frame.split(/(?<=\n\n)/);
    yield events.filter((event) => !isEnd(event)).join('');
  }
}

const isEnd = (event: string) => event.startsWith('data: {"statusUpdate"') && event.includes(KEY.result);
