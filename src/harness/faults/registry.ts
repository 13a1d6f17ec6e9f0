/** The faults that a run can inject, for people: name, who does it, what it does. */
export const faults: readonly { name: string; by: 'tap' | 'toxiproxy' | 'process'; description: string }[] = [
  { name: 'reset', by: 'tap', description: 'RST to both ends behind byte N or frame k' },
  { name: 'fin', by: 'tap', description: 'FIN to both ends behind byte N or frame k' },
  {
    name: 'half-close',
    by: 'tap',
    description: 'FIN in one direction behind byte N or frame k; the other one flows on',
  },
  {
    name: 'silence',
    by: 'tap',
    description: 'a black hole behind byte N or frame k: both sockets stay open, nothing passes',
  },
  {
    name: 'down',
    by: 'toxiproxy',
    description: 'the link’s listener and all its connections are closed, and come back',
  },
  { name: 'reset_peer', by: 'toxiproxy', description: 'RST some time after the first data' },
  {
    name: 'timeout',
    by: 'toxiproxy',
    description: 'data is dropped; the connection closes after a time, or never',
  },
  { name: 'limit_data', by: 'toxiproxy', description: 'the connection closes once N bytes have passed' },
  { name: 'latency', by: 'toxiproxy', description: 'each piece is delayed, with jitter' },
  { name: 'bandwidth', by: 'toxiproxy', description: 'at most so many kilobytes a second' },
  { name: 'slicer', by: 'toxiproxy', description: 'pieces are cut into slices, some time apart' },
  {
    name: 'kill',
    by: 'process',
    description: 'SIGKILL of a peer, at a moment that the case names; then a restart',
  },
];
