import { SyncerError } from '../../core/errors.ts';
import { compareNames } from '../../core/name-order.ts';
import { counted } from '../../core/shown-text.ts';
import { changesNow, consentNow } from '../../engine/consent.ts';
import type { BucketCheck } from '../../engine/without-bucket.ts';
import type {
  Asking,
  CommandCall,
  Remotes,
  UnderConsent,
} from '../../shell/command-line/command.ts';
import { readsInput } from '../../shell/flags/flag-table.ts';
import { logText } from '../../shell/log/log-text.ts';
import { shellLine } from '../../system/shell-words.ts';

/**
 * Asks before a run on the root of a remote empties or deletes buckets. Without a terminal, and after the answer no, an
 * error of the code `guarded` is the result; `--dry-run` and a plan only say so. A question about a bucket is put once.
 */
export function bucketGuard(
  invocation: CommandCall & Remotes & Asking & UnderConsent,
): BucketCheck {
  const agreed = new Set<string>();
  return async (buckets, isWhole) => {
    const { flags, shownWords, consent, context } = invocation;
    const allowed = (flags['allow-bucket-deletes'] ?? '')
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '');
    const isOpen = (bucket: string) => !agreed.has(bucket) && !allowed.includes(bucket);
    const left = buckets.filter(isOpen).sort(compareNames);
    // With --interactive, each deletion is a question.
    if (left.length === 0 || allowed.includes('*') || consent.how === 'ask') return undefined;
    const { passesAll } = await invocation.filter();
    const these = `${counted(left.length, 'bucket')}: ${left.join(', ')}`;
    const files = `all files ${passesAll ? '' : 'that the filter includes '}of ${these}`;
    const what = `this would delete ${isWhole ? these : files}`;
    if (!changesNow(consentNow(consent))) {
      const needs = `this is asked on a terminal, and needs --allow-bucket-deletes ${left.join(',')} without one`;
      context.emit(logText('notice', `guard buckets: ${what}; ${needs}`));
      return undefined;
    }
    if (flags.review) return undefined;
    if (!(await isAgreed(invocation, what))) {
      const buckets = [...allowed, ...left].join(',');
      return new SyncerError('guarded', `guard buckets: ${what}; they were left as they are`, {
        advice: `if they may go, run: ${goingOn(shownWords, { 'allow-bucket-deletes': buckets })}`,
      });
    }
    for (const bucket of left) agreed.add(bucket);
    return undefined;
  };
}

/** The answer of a person; no without a terminal. */
async function isAgreed(invocation: CommandCall & Asking, what: string): Promise<boolean> {
  const [{ askAside, canAsk, choose }, { jobControl }] = await Promise.all([
    import('../../shell/interactive/input-lines.ts'),
    import('../../shell/process/job-control.ts'),
  ]);
  // A job in the background would be stopped by the question.
  if (!canAsk() || readsInput(invocation.flags) || !jobControl(process).isForeground())
    return false;
  const no = ['n', 'No, leave them as they are'] as const;
  const yes = ['y', 'Yes, go on'] as const;
  return (
    (await askAside(invocation, (ask) => choose(`syncer: ${what}`, [no, yes], ask))) === yes[0]
  );
}

/** The command line of a run, for a shell, with these flags instead of their earlier values. */
export function goingOn(
  shownWords: readonly string[],
  flags: Readonly<Record<string, string>>,
): string {
  const names = Object.keys(flags).map((name) => `--${name}`);
  const end = shownWords.indexOf('--');
  const [before, after] =
    end < 0 ? [shownWords, []] : [shownWords.slice(0, end), shownWords.slice(end)];
  const left = before.filter(
    (word, at) =>
      !names.includes(word) &&
      !names.includes(before[at - 1] ?? '') &&
      !names.some((name) => word.startsWith(`${name}=`)),
  );
  const added = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
  return shellLine([...left, ...added, ...after]);
}
