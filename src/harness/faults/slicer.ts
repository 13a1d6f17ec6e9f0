/** Pieces are cut into slices, some time apart. */
import { probe } from './probe.js';
import { toxicFault } from './toxic-fault.js';

const SLICES = 16;

export const slicer = toxicFault({
  type: 'slicer',
  description: 'pieces are cut into slices, some time apart',
  example: { slice: 50, slice_variation: 10, slice_delay_us: 5000 },
  needs: ['slice', 'slice_delay_us'],
  attributes: ({ slice = 0, slice_variation = 0, slice_delay_us = 0 }) => ({
    average_size: slice,
    size_variation: slice_variation,
    delay: slice_delay_us,
  }),
  async effect(witness, { slice = 0, slice_delay_us = 0 }, ms) {
    const send = SLICES * slice;
    const seen = await probe(witness.address, { send, ms });
    // The slices themselves may be joined again on their way: their pauses can not.
    return seen.bytes === send && seen.ms >= ((SLICES / 2) * slice_delay_us) / 1000;
  },
});
