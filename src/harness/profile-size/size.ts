/** What the profile adds to A2A, as lists of names: what is longer than the baseline has grown, and by what. */

export interface Size {
  /** URIs that the card declares. */
  extensions: string[];
  /** Beyond A2A 1.0 and HTTP: the five that the profile must not add, and the one service parameter that it may. */
  methods: string[];
  endpoints: string[];
  enum_values: string[];
  error_codes: string[];
  core_members: string[];
  service_parameters: string[];
  /** Top-level members of `EXT/request` and `EXT/result`. */
  request_required: string[];
  request_optional: string[];
  result_required: string[];
  result_optional: string[];
  /** Paths below them, and of every other object of ours. */
  nested_members: string[];
  metadata_keys: string[];
  card_params: string[];
  /** Of an agent token. */
  token_claims: string[];
  /** Values of `oabReason`. */
  reasons: string[];
  /** Sentences of the specification that say MUST; absent where there is none to read. */
  must_sentences?: number;
}

type Lists = Exclude<keyof Size, 'must_sentences'>;

/** The thresholds of PRF-01. */
const MOST: Partial<Record<Lists, number>> = {
  extensions: 1,
  methods: 0,
  endpoints: 0,
  enum_values: 0,
  error_codes: 0,
  core_members: 0,
  service_parameters: 1,
  request_required: 10,
  result_required: 17,
};

/** One sentence per figure that is above its threshold. */
export function aboveThreshold(size: Size): string[] {
  return (Object.entries(MOST) as [Lists, number][]).flatMap(([name, most]) =>
    size[name].length <= most
      ? []
      : [`${words(name)}: ${size[name].length}, at most ${most} (${size[name].join(', ')})`],
  );
}

/** One sentence per figure that has something which the baseline has not; a figure that it lacks has nothing there. */
export function grownSince(baseline: Partial<Size>, size: Size): string[] {
  const lists = Object.keys(size).filter((name): name is Lists => name !== 'must_sentences');
  const grown = lists.flatMap((name) => {
    const more = size[name].filter((one) => baseline[name]?.includes(one) !== true);
    return more.length === 0 ? [] : [`${words(name)} that the baseline does not have: ${more.join(', ')}`];
  });
  const { must_sentences: now = 0 } = size;
  const { must_sentences: before = now } = baseline;
  return now > before ? [...grown, `${now} sentences with MUST, ${before} in the baseline`] : grown;
}

/** The figures in one line, as a decision page states them. */
export function sentence(size: Size): string {
  const lists = Object.entries(size).map(
    ([name, value]) => `${words(name)} ${Array.isArray(value) ? value.length : String(value)}`,
  );
  return lists.join(', ');
}

function words(name: string): string {
  return name.replaceAll('_', ' ');
}
