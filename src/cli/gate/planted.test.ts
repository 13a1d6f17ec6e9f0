import assert from 'node:assert/strict';
import { criterionOf } from '../../gate/registry.js';
import { defects } from '../../harness/defects/registry.js';
import { BINDINGS } from '../../profile/names.js';
import { caughtBy, caughtByMarkdown, declaredChecks } from './planted.js';

/** Of each gate, on each binding: criteria with a plant (decision 0024). */
const LEAST = { replay: 10, relay: 2, profile: 5 } as const;
const FAMILIES = [
  ['JSONRPC', 'HTTP+JSON'],
  ['WSS', 'OAB'],
] as const;

describe('where defects are planted', () => {
  const rows = caughtBy(defects.map((defect) => ({ defect: defect.id, checks: declaredChecks(defect) })));
  const gateOf = (criterion: string) => criterionOf(criterion).gate;

  it('is in every criterion that has a suite', () => {
    const none = rows.filter(({ by }) => BINDINGS.every((binding) => (by[binding] ?? []).length === 0));
    assert.deepEqual(none, []);
  });

  it('is, for every criterion of the Replay gate, on a binding over HTTP and on one in frames', () => {
    const missing = rows
      .filter(({ criterion }) => gateOf(criterion) === 'replay')
      .flatMap(({ criterion, by }) =>
        FAMILIES.filter((family) => !family.some((binding) => (by[binding] ?? []).length > 0)).map(
          (family) => `${criterion} on ${family.join(' or ')}`,
        ),
      );
    assert.deepEqual(missing, []);
  });

  for (const binding of BINDINGS)
    it(`is, on ${binding}, in criteria of every gate`, () => {
      for (const [gate, least] of Object.entries(LEAST)) {
        const own = rows.filter(
          ({ criterion, by }) => gateOf(criterion) === gate && (by[binding] ?? []).length > 0,
        );
        assert.ok(own.length >= least, `${gate}: ${own.map(({ criterion }) => criterion).join(' ')}`);
      }
    });

  it('is told in a table that tells no plant from no case', () => {
    const table = caughtByMarkdown([{ defect: 'one', checks: ['PRF-03/WSS/direct'] }]);
    const line = table.split('\n').find((text) => text.startsWith('| PRF-03'));
    assert.equal(line, '| PRF-03 |  |  | one | – |');
  });
});
