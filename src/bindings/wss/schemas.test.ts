import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { requestOf } from '../../executor/testing/harness.js';
import { messageFromRequest } from '../../profile/message.js';
import { requestDigest } from '../../profile/request.js';
import { publishedWssSchema, wssSchemas } from './schemas.js';
import { bearer, NEGOTIATED, openRig } from './testing/rig.js';

type Name = keyof typeof wssSchemas;
const FOLDER = 'docs/schemas/wss';
const names = Object.keys(wssSchemas) as Name[];

function fits(name: Name, value: unknown): void {
  const { error } = wssSchemas[name].safeParse(value);
  assert.equal(error, undefined, `${name}: ${JSON.stringify(error?.issues[0])} in ${JSON.stringify(value)}`);
}

describe('the published schemas of the A2A binding over WebSocket', () => {
  for (const name of names) {
    it(`${name} is the one that the code has (OAB_WRITE_SCHEMAS=1 rewrites it)`, () => {
      const path = `${FOLDER}/${name}.schema.json`;
      const text = `${JSON.stringify(publishedWssSchema(name), null, 2)}\n`;
      if (process.env.OAB_WRITE_SCHEMAS === '1') {
        mkdirSync(FOLDER, { recursive: true });
        writeFileSync(path, text);
      }
      assert.equal(readFileSync(path, 'utf8'), text);
    });
  }

  it('are all, and no other', () => {
    assert.deepEqual(readdirSync(FOLDER).sort(), names.map((name) => `${name}.schema.json`).sort());
  });

  it('hold what a real server says, answers, items, refusals and ends', async () => {
    const rig = await openRig();
    try {
      const connection = await rig.connect();
      const { request } = requestOf({ task: 'say 2', budget: { max_output_bytes: 10_000 } });
      const frame = {
        jsonrpc: '2.0',
        id: 's',
        method: 'SendStreamingMessage',
        params: { message: messageFromRequest(request) },
        serviceParameters: {
          ...NEGOTIATED,
          Authorization: `Bearer ${bearer({ req: requestDigest(request) })}`,
        },
      };
      fits('frame.request', frame);
      connection.send(frame);
      fits('frame.stream-end', await connection.next(({ method }) => method === '$/streamEnd'));
      await connection.call('GetTask', { id: 'none' });
      connection.send('{');
      await connection.next(({ id }) => id === null);
      const answers = connection.frames.filter(({ method }) => method === undefined);
      assert.ok(answers.length > 5);
      for (const answer of answers) fits('frame.answer', answer);
    } finally {
      await rig.close();
    }
  });
});
