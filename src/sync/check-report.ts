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

/** The closing lines, each with the side it is about, as rclone words them. `errors`: differences and failures. */
export function summaryLines(
  counts: CheckCounts,
  errors: number,
  titles: { readonly source: string; readonly dest: string },
): readonly (readonly [about: string, line: string])[] {
  const lines: [string, string][] = [];
  if (counts.missingOnDest > 0) lines.push([titles.dest, `${counts.missingOnDest} files missing`]);
  if (counts.missingOnSource > 0)
    lines.push([titles.source, `${counts.missingOnSource} files missing`]);
  // rclone counts what could not be compared here, too.
  lines.push([titles.dest, `${errors} differences found`]);
  if (errors > 0) lines.push([titles.dest, `${errors} errors while checking`]);
  if (counts.withoutHash > 0)
    lines.push([titles.dest, `${counts.withoutHash} hashes could not be checked`]);
  if (counts.matches > 0) lines.push([titles.dest, `${counts.matches} matching files`]);
  return lines;
}

/** Files that differ or are missing on a side. */
export function allDifferences(counts: CheckCounts): number {
  return counts.differences + counts.missingOnDest + counts.missingOnSource;
}
