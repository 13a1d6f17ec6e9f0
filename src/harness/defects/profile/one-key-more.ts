import type { EventDraft } from '../../../journal/journal.js';
import { EXT } from '../../../profile/names.js';
import { withJournal } from '../change.js';
import type { Defect } from '../defect.js';

/** PRF-01: something useful is put beside the rest, where it harms nobody, and the profile is no longer thin (O-81). */
export const oneKeyMore: Defect = {
  id: 'one-key-more',
  breaks: 'events carry a metadata key of the extension that the profile does not have',
  fails: ['RPL-09', 'PRF-01', 'PRF-22'],
  bindings: ['JSONRPC'],
  executor: withJournal((journal) => {
    const marked = ({ meta = '{}', ...draft }: EventDraft): EventDraft => ({
      ...draft,
      meta: JSON.stringify({ ...(JSON.parse(meta) as object), [`${EXT}/trace`]: 'on' }),
    });
    return {
      append: (taskId, append) => journal.append(taskId, { ...append, events: append.events.map(marked) }),
    };
  }),
};
