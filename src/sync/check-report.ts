import type { LogFields } from '../core/log-fields.ts';

/** How a file came out of a check; the symbols of rclone's `--combined`. */
export type CheckOutcome = 'match' | 'differ' | 'missing-on-dst' | 'missing-on-src' | 'error';

/** Takes the lines of the reports that were asked for; each gets bare paths, `combined` a symbol before it. */
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

/** Writes the outcome of one file into the reports. */
export async function reportOutcome(
  reports: CheckReports,
  outcome: CheckOutcome,
  path: string,
): Promise<void> {
  await reports.combined?.(`${SYMBOLS[outcome]} ${path}\n`);
  await reports[outcome]?.(`${path}\n`);
}

/** What a check counted. */
export interface CheckCounts {
  matches: number;
  differences: number;
  missingOnDest: number;
  missingOnSource: number;
  errors: number;
  /** Pairs that passed although a side had no hash. */
  withoutHash: number;
}

/** The counts of a check that has not begun. */
export function noCounts(): CheckCounts {
  return {
    matches: 0,
    differences: 0,
    missingOnDest: 0,
    missingOnSource: 0,
    errors: 0,
    withoutHash: 0,
  };
}

/** The counts that a check ends with, each with the side it is about. `errors`: differences and failures. */
export function summary(
  counts: CheckCounts,
  errors: number,
  titles: { readonly source: string; readonly dest: string },
): readonly (LogFields['check-count'] & { readonly about: string })[] {
  const { source, dest } = titles;
  const found = [
    { about: dest, what: 'missing', count: counts.missingOnDest },
    { about: source, what: 'missing', count: counts.missingOnSource },
    // rclone counts what could not be compared here, too.
    { about: dest, what: 'differences', count: errors },
    { about: dest, what: 'errors', count: errors },
    { about: dest, what: 'without-hash', count: counts.withoutHash },
    { about: dest, what: 'matches', count: counts.matches },
  ] as const;
  return found.filter(({ what, count }) => count > 0 || what === 'differences');
}

/** Files that differ or are missing on a side. */
export function allDifferences(counts: CheckCounts): number {
  return counts.differences + counts.missingOnDest + counts.missingOnSource;
}
