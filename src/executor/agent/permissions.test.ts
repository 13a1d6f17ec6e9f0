import assert from 'node:assert/strict';
import fc from 'fast-check';
import { answerPermission } from './permissions.js';

const option = (kind: string, optionId = kind) => ({ kind, optionId });
const ALL = ['allow_always', 'allow_once', 'reject_once', 'reject_always'].map((kind) => option(kind));
const DENIED = { allowed: false, optionId: 'reject_once' };

describe('the answer to a permission request', () => {
  it('allows a granted kind once', () => {
    for (const kind of ['read', 'search', 'think'])
      assert.deepEqual(answerPermission({ kind, options: ALL }, ['repo:read']), {
        allowed: true,
        optionId: 'allow_once',
      });
    assert.equal(answerPermission({ kind: 'execute', options: ALL }, ['exec']).allowed, true);
    assert.equal(answerPermission({ kind: 'fetch', options: ALL }, ['net:fetch']).allowed, true);
  });

  it('rejects what is not granted, without a kind, and any switch of mode', () => {
    const every = ['repo:read', 'net:fetch', 'exec'];
    for (const kind of ['edit', 'delete', 'move', 'switch_mode', 'other', 'new_kind', undefined, null, 7])
      assert.deepEqual(answerPermission({ kind, options: ALL }, every), DENIED, String(kind));
    assert.deepEqual(answerPermission({ kind: 'execute', options: ALL }, ['repo:read']), DENIED);
    assert.deepEqual(answerPermission({ kind: 'read', options: ALL }, []), DENIED);
  });

  it('falls back to reject_always, then to the outcome cancelled', () => {
    const ask = (...options: unknown[]) => answerPermission({ kind: 'edit', options }, ['repo:read']);
    assert.deepEqual(ask(option('allow_once'), option('reject_always')), {
      allowed: false,
      optionId: 'reject_always',
    });
    assert.deepEqual(ask(option('allow_once')), { allowed: false });
    assert.deepEqual(ask(), { allowed: false });
  });

  it('never stands a permission: allow_always alone is denied', () => {
    assert.deepEqual(
      answerPermission({ kind: 'read', options: [option('allow_always'), option('reject_once')] }, [
        'repo:read',
      ]),
      DENIED,
    );
  });

  it('denies malformed options', () => {
    for (const options of [undefined, null, 'x', {}, [null], [{ kind: 'allow_once' }], [{ optionId: 'a' }]])
      assert.deepEqual(answerPermission({ kind: 'read', options }, ['repo:read']), { allowed: false });
    const same = [option('allow_once', 'same'), option('reject_once', 'same')];
    assert.deepEqual(answerPermission({ kind: 'read', options: same }, ['repo:read']), { allowed: false });
  });

  it('picks an option that was offered, and allows with allow_once only', () => {
    fc.assert(
      fc.property(fc.anything(), fc.array(fc.constantFrom(...ALL)), (kind, options) => {
        const { allowed, optionId } = answerPermission({ kind, options }, ['repo:read']);
        if (allowed) assert.equal(optionId, 'allow_once');
        else assert.notEqual(optionId?.startsWith('allow'), true);
        assert.ok(optionId === undefined || options.some((each) => each.optionId === optionId));
      }),
    );
  });
});
