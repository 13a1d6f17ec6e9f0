/** The eight checks that run beside a defect's own criteria: a defect must fail what it declares, and nothing else. */
export const BYSTANDERS: readonly string[] = [
  'RPL-02',
  'RPL-03',
  'RPL-04',
  'RPL-05',
  'RPL-06',
  'RPL-10',
  'RPL-18',
  'PRF-21',
];
