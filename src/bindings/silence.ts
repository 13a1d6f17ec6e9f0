/** A peer from which no byte came for so many heartbeats is gone (profile section 4). */
export const SILENT_HEARTBEATS = 2.5;
