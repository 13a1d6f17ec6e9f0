/** The audit's own hash chain: a row that is changed, dropped or moved breaks every later head. */
import { jcs, sha256 } from '../profile/canonical.js';
import type { Digest } from '../profile/model.js';
import type { AuditDraft, AuditRow } from './journal.js';

export const FIRST_AUDIT_HEAD: Digest = sha256('oab-audit/v1\n');

export function auditHead(before: Digest, index: number, draft: AuditDraft): Digest {
  const { kind, at, peer, taskId, detail } = draft;
  return sha256(`${before}\n${jcs({ index, kind, at, peer: peer ?? null, taskId: taskId ?? null, detail })}`);
}

/** The index of the first row whose head does not follow from the one before it, or undefined. */
export function brokenAt(rows: readonly AuditRow[], before: Digest = FIRST_AUDIT_HEAD): number | undefined {
  let head = before;
  for (const row of rows) {
    head = auditHead(head, row.index, row);
    if (head !== row.head) return row.index;
  }
  return undefined;
}
