/** FIN to both ends behind byte N or frame k. */
import { tapFault } from './tap-fault.js';

export const fin = tapFault('fin', 'FIN to both ends behind byte N or frame k');
