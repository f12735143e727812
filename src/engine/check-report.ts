import type { LogFields } from '../core/log-fields.ts';

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

/** How many pairs differ, or are missing on a side. */
export function differencesIn(counts: CheckCounts): number {
  return counts.differ + counts['missing-on-dst'] + counts['missing-on-src'];
}

/** The final counts of a check, each with its side. `failures`: what could not be compared or listed. */
export function summary(
  counts: CheckCounts,
  failures: number,
  titles: { readonly source: string; readonly dest: string },
): readonly (LogFields['check-count'] & { readonly about: string })[] {
  const { source, dest } = titles;
  const differences = differencesIn(counts);
  const found = [
    { about: dest, what: 'missing', count: counts['missing-on-dst'] },
    { about: source, what: 'missing', count: counts['missing-on-src'] },
    { about: dest, what: 'differences', count: differences },
    { about: dest, what: 'errors', count: differences + failures },
    { about: dest, what: 'without-hash', count: counts['without-hash'] },
    { about: dest, what: 'matches', count: counts.match },
  ] as const;
  return found.filter(({ what, count }) => count > 0 || what === 'differences');
}
