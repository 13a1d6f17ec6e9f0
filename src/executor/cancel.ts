/** Records a cancel as an event, once; a second one changes nothing (D-11, profile section 5). */
import { ProfileError } from '../profile/errors.js';
import { isTerminal } from '../profile/lifecycle.js';
import { cancelDraft } from './drafts.js';
import type { ExecutorParts } from './parts.js';
import { own } from './reads.js';
import type { Caller } from './service.js';

/** Resolves when it is durable; throws TASK_NOT_FOUND, TASK_NOT_CANCELABLE, StoreUnavailable. */
export async function recordCancel(
  { journal, clock }: ExecutorParts,
  caller: Caller,
  taskId: string,
): Promise<void> {
  for (;;) {
    const row = own(journal, caller, taskId);
    if (isTerminal(row.state)) throw new ProfileError('TASK_NOT_CANCELABLE');
    if (row.cancelRequestedAt !== undefined) return;
    const now = clock.now();
    const appended = await journal.append(taskId, {
      events: [cancelDraft(row, row.state, now)],
      expect: row.sequence,
      set: { cancelRequestedAt: now, stopCause: 'cancel' },
      audit: { kind: 'cancel', at: now, peer: caller.peer, taskId, detail: { via: caller.via } },
    });
    if (appended.kind === 'terminal') throw new ProfileError('TASK_NOT_CANCELABLE');
    if (appended.kind === 'appended') return;
  }
}
