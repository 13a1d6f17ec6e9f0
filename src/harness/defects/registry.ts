/** Every planted defect, in the order of the criterion that it is about. */
import type { Defect } from './defect.js';

export const defects: readonly Defect[] = [];
