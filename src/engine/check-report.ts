/** The result of a check of one file; the symbols of rclone's `--combined`. */
export type CheckOutcome = 'match' | 'differ' | 'missing-on-dst' | 'missing-on-src' | 'error';

/** Receive the lines of the requested reports; each gets bare paths, `combined` a symbol before them. */
export type CheckReports = Readonly<
  Partial<Record<CheckOutcome | 'combined', (line: string) => Promise<void>>>
>;

const SYMBOLS: Readonly<Record<CheckOutcome, string>> = {
  match: '=',
  differ: '*',
  'missing-on-dst': '+',
  'missing-on-src': '-',
  error: '!',
};

/** Writes the result of one file into the reports; `undefined` if none wants it. */
export function reportOutcome(
  reports: CheckReports,
  outcome: CheckOutcome,
  path: string,
): Promise<unknown> | undefined {
  const combined = reports.combined?.(`${SYMBOLS[outcome]} ${path}\n`);
  const own = reports[outcome]?.(`${path}\n`);
  return combined && own ? Promise.all([combined, own]) : (combined ?? own);
}

/** The counts of a check; `without-hash`: pairs that passed although a side had no hash. */
export type CheckCounts = Record<CheckOutcome | 'without-hash', number>;
