import assert from 'node:assert/strict';
import fc from 'fast-check';
import { callerBound, effectiveAuthority } from './authority.js';
import { allowedKinds, CAPABILITIES } from './capabilities.js';

const sets = fc.subarray([...CAPABILITIES]);

describe('authority', () => {
  it('is the intersection of all five, never more, and empty is denied (O-27, O-28)', () => {
    fc.assert(
      fc.property(sets, sets, sets, sets, sets, (grants, policyA, requested, policyB, deployment) => {
        const a = callerBound(requested, grants, policyA);
        const within = requested.every((one) => grants.includes(one) && policyA.includes(one));
        assert.equal('effective' in a, within && requested.length > 0);
        if (!('effective' in a)) return;
        const cap = grants.filter((one) => policyA.includes(one));
        const b = effectiveAuthority(requested, cap, policyB, deployment);
        const model = requested.filter((one) => policyB.includes(one) && deployment.includes(one)).sort();
        if (model.length === 0) assert.deepEqual(b, { refused: 'AUTHORITY_EMPTY' });
        else assert.deepEqual(b, { effective: model });
      }),
    );
  });

  it('refuses what is not in the credential as widened and what does not exist as unknown', () => {
    assert.deepEqual(effectiveAuthority(['exec'], ['repo:read'], ['exec'], ['exec']), {
      refused: 'CAPABILITY_WIDENED',
      capability: 'exec',
    });
    for (const name of ['repo:write', 'root', 'toString']) {
      assert.deepEqual(effectiveAuthority([name], [name], [name], [name]), {
        refused: 'CAPABILITY_UNKNOWN',
        capability: name,
      });
    }
  });

  it('allows no kind beyond its capabilities', () => {
    assert.deepEqual([...allowedKinds(['repo:read'])], ['read', 'search', 'think']);
    assert.deepEqual([...allowedKinds([])], []);
    assert.ok(!allowedKinds([...CAPABILITIES]).has('edit'));
  });
});
