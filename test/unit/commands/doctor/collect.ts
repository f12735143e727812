import type { CheckResult } from '../../../../commands/doctor/check.ts';

/** The results of checks by name, as `verdict text [$ mend]`. */
export async function collect(
  checks: AsyncIterable<CheckResult> | Iterable<CheckResult>,
): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const { check, verdict, text, mend } of checks) {
    found[check] = `${verdict}: ${text}${mend === undefined ? '' : ` $ ${mend}`}`;
  }
  return found;
}
