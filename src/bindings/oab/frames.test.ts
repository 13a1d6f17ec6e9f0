import assert from 'node:assert/strict';
import { ProfileError, type Reason } from '../../profile/errors.js';
import { errorText } from './frames.js';

const errorOf = (reason: Reason) =>
  (
    JSON.parse(errorText(1, new ProfileError(reason))) as {
      error: { code: number; data: { reason: string } };
    }
  ).error;

describe('an error on the OAB wire', () => {
  for (const reason of [
    'UNSUPPORTED_OPERATION',
    'NOT_NEGOTIATED',
    'VERSION_NOT_SUPPORTED',
    'PUSH_NOTIFICATION_NOT_SUPPORTED',
    'CONTENT_TYPE_NOT_SUPPORTED',
    'EXTENDED_AGENT_CARD_NOT_CONFIGURED',
  ] as const)
    it(`is never ${reason}, which only another protocol has`, () => {
      assert.deepEqual(errorOf(reason), {
        code: -32603,
        message: 'Internal error',
        data: { reason: 'INTERNAL' },
      });
    });

  it('has the codes of the protocol’s own table', () => {
    const codes = (['CURSOR_INVALID', 'AUTHORITY_EMPTY', 'SATURATED', 'TASK_NOT_FOUND'] as const).map(
      (reason) => [errorOf(reason).code, errorOf(reason).data.reason],
    );
    assert.deepEqual(codes, [
      [-32602, 'CURSOR_INVALID'],
      [-32602, 'AUTHORITY_EMPTY'],
      [-32603, 'SATURATED'],
      [-32001, 'TASK_NOT_FOUND'],
    ]);
  });
});
