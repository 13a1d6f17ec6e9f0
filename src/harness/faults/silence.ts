/** A black hole behind byte N or frame k: both sockets stay open, nothing passes. */
import { tapFault } from './tap-fault.js';

export const silence = tapFault(
  'silence',
  'a black hole behind byte N or frame k: both sockets stay open, nothing passes',
);
