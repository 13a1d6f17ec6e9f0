/** A configuration that cannot be used: every problem as `file:line: key: what is wrong, what to do`; exit 2. */
export class ConfigError extends Error {
  override name = 'ConfigError';
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}
