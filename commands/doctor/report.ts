import { toSyncerError } from '../../src/core/errors.ts';
import type { Finding, Verdict } from '../../src/core/finding.ts';
import { type Guarded, mayChange } from '../../src/engine/change-guard.ts';
import type { CheckResult } from './check.ts';

/** A check as it is reported; `fixed`: it had failed or warned, and `--fix` has fixed it. */
export interface ReportedCheck extends Omit<Finding, 'verdict'> {
  readonly group: string;
  readonly verdict: Verdict | 'fixed';
}

/**
 * A result as it is reported, after what `--fix` does about it.
 *
 * @param fixes the run that fixes; `undefined` without `--fix`
 */
export async function reported(
  group: string,
  result: CheckResult,
  fixes: Guarded | undefined,
): Promise<ReportedCheck> {
  const { fix, ...finding } = result;
  if (fix === undefined || fixes === undefined) return { group, ...finding };
  const other = { do: 'other', words: 'fix', about: finding.check } as const;
  if (!(await mayChange(fixes, other))) return { group, ...finding };
  try {
    const done = await fix();
    return { group, check: finding.check, verdict: 'fixed', text: `${finding.text}: ${done}` };
  } catch (thrown) {
    const text = `${finding.text}; it cannot be fixed: ${toSyncerError(thrown).message}`;
    return { group, ...finding, text };
  }
}

/** All checks as JSON; fields are only added in later versions. */
export function reportJson(all: readonly ReportedCheck[]): string {
  const failed = all.filter(({ verdict }) => verdict === 'failed').length;
  const checks = all.map(({ group, check, verdict, text, mend = null }) => {
    return { group, check, verdict, text, mend };
  });
  return `${JSON.stringify({ doctor: 1, failed, checks }, undefined, 2)}\n`;
}
