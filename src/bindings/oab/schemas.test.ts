import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { requestOf } from '../../executor/testing/harness.js';
import { requestDigest } from '../../profile/request.js';
import { oabSchemas, publishedOabSchema } from './schemas.js';
import { bearer, openRig } from './testing/rig.js';

type Json = Record<string, unknown>;
type Name = keyof typeof oabSchemas;
const FOLDER = 'docs/schemas/oab';
const names = Object.keys(oabSchemas) as Name[];

function fits(name: Name, value: unknown): void {
  const { error } = oabSchemas[name].safeParse(value);
  assert.equal(error, undefined, `${name}: ${JSON.stringify(error?.issues[0])} in ${JSON.stringify(value)}`);
}

describe('the published schemas of the custom OAB protocol', () => {
  for (const name of names) {
    it(`${name} is the one that the code has (OAB_WRITE_SCHEMAS=1 rewrites it)`, () => {
      const path = `${FOLDER}/${name}.schema.json`;
      const text = `${JSON.stringify(publishedOabSchema(name), null, 2)}\n`;
      if (process.env.OAB_WRITE_SCHEMAS === '1') writeFileSync(path, text);
      assert.equal(readFileSync(path, 'utf8'), text);
    });
  }

  it('are all, and no other', () => {
    assert.deepEqual(readdirSync(FOLDER).sort(), names.map((name) => `${name}.schema.json`).sort());
  });

  it('hold what a real server says, from its description to the end of a stream and its refusals', async () => {
    const rig = await openRig();
    try {
      const connection = await rig.connect();
      const say = async (verb: string, params: Json, token = bearer()) => {
        const answer = await connection.call(verb, params, token);
        fits('frame.answer', answer);
        return answer.result;
      };
      fits('describe.result', await say('describe', {}));
      const { request } = requestOf({ task: 'hold', budget: { max_output_bytes: 1024 * 1024 } });
      fits('create.params', { request });
      const made = await say('create', { request }, bearer({ req: requestDigest(request) }));
      fits('create.result', made);
      const { task_id } = made as { task_id: string };
      const params = { task_id, cursor: '0' };
      fits('events.params', params);
      connection.send({ jsonrpc: '2.0', id: 's', method: 'events', params, token: bearer() });
      // A cancel that comes before the agent has said anything leaves no artifact whose owner could be seen.
      await connection.next(({ id, result }) => id === 's' && 'owner' in (result as Json));
      fits('cancel.result', await say('cancel', { task_id }));
      rig.release();
      const end = await connection.next(({ method }) => method === '$/streamEnd');
      fits('frame.stream-end', end);
      const items = connection.frames.filter(({ id }) => id === 's').map(({ result }) => result as Json);
      for (const item of items) fits('events.item', item);
      for (const member of ['owner', 'deadline_at', 'cancel_requested_at', 'result'])
        assert.ok(
          items.some((item) => member in item),
          `no item has ${member}`,
        );
      fits('get.result', await say('get', { task_id }));
      fits('frame.answer', await connection.call('get', { task_id: 'none' }));
    } finally {
      await rig.close();
    }
  });
});
