/** FIN in one direction behind byte N or frame k; the other one flows on. */
import { tapFault } from './tap-fault.js';

export const halfClose = tapFault(
  'half-close',
  'FIN in one direction behind byte N or frame k; the other one flows on',
);
