/** A black hole in one direction behind byte N or frame k. */
import { tapFault } from './tap-fault.js';

export const silenceOneWay = tapFault(
  'silence-one-way',
  'a black hole in one direction behind byte N or frame k',
);
