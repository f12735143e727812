import { type SyncerError, toSyncerError } from '../../src/core/errors.ts';
import type { Finding } from '../../src/core/finding.ts';

/** The result of a check, with what `--fix` may do about it. */
export interface CheckResult extends Finding {
  /** Fixes it, safely and as often as it is called. Resolves to what was done. */
  readonly fix?: () => Promise<string>;
}

/** A check that found nothing wrong. */
export const ok = (check: string, text: string): CheckResult => ({ check, verdict: 'ok', text });

/** A check that failed, with the command that fixes it. */
export function failed(check: string, text: string, mend?: string): CheckResult {
  return { check, verdict: 'failed', text, mend };
}

/** A check that found something that needs attention. */
export function warning(check: string, text: string, mend?: string): CheckResult {
  return { check, verdict: 'warning', text, mend };
}

/** A check that could not be made. */
export function unknown(check: string, text: string): CheckResult {
  return { check, verdict: 'unknown', text };
}

/** The result of a check; of one that throws, by default that it could not be made. */
export async function trying<Result extends CheckResult | undefined>(
  check: string,
  work: () => Promise<Result>,
  otherwise = (error: SyncerError) => unknown(check, error.message),
): Promise<Result | CheckResult> {
  try {
    return await work();
  } catch (thrown) {
    return otherwise(toSyncerError(thrown));
  }
}
