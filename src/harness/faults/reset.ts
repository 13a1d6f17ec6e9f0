/** RST to both ends behind byte N or frame k. */
import { tapFault } from './tap-fault.js';

export const reset = tapFault('reset', 'RST to both ends behind byte N or frame k');
