import { JOB_COMMANDS } from '../../config/job.ts';
import { counted, figure } from '../../core/shown-text.ts';
import { formatSizeUnit } from '../../go/quantities.ts';
import { FLAGS } from '../../shell/flags/flag-table.ts';
import type { PastRun, RunSum } from '../../state/runs.ts';
import { shellLine } from '../../system/shell-words.ts';
import { took } from '../../terminal/time-texts.ts';

/** What exit codes say that are no failure of a file. */
const ENDS: Readonly<Record<number, string>> = {
  1: 'failed',
  20: 'login needed',
  21: 'stopped by a guard',
  22: 'files had changed',
  75: 'another run was there',
  130: 'stopped',
  141: 'window or pipe closed',
  143: 'terminated',
};

/** How a run ended, in a word or two. */
export function runEnd({ exit, errors, isTrial }: PastRun): string {
  if (exit === 0) return isTrial ? 'plan only' : 'done';
  const known = ENDS[exit] ?? `failed, exit code ${exit}`;
  return errors > 1 && known.startsWith('failed') ? counted(errors, 'error') : known;
}

/** What a run did, in one line. */
export function runSum(run: PastRun): string {
  const { files, bytes, checks, deleted, exit, isTrial, resumedBytes = 0, throttledMs = 0 } = run;
  const { copiedByServer = 0, changes = 0, unknown = 0 } = run;
  if (isTrial) return exit === 0 ? 'nothing applied' : 'nothing was done';
  const parts = [
    files > 0 ? `${figure(files)} transferred, ${formatSizeUnit(bytes)}` : '',
    copiedByServer > 0 ? `${formatSizeUnit(copiedByServer)} copied by the server` : '',
    checks > 0 ? `${figure(checks)} checked` : '',
    deleted > 0 ? `${figure(deleted)} deleted` : '',
    // Directories, times, what the browser deleted.
    files + deleted === 0 && changes > 0 ? counted(changes, 'change') : '',
    unknown > 0 ? `${figure(unknown)} with unknown result` : '',
    resumedBytes > 0 ? `${formatSizeUnit(resumedBytes)} resumed` : '',
    throttledMs >= 1_000 ? `throttled for ${took(throttledMs)}` : '',
  ].filter((part) => part !== '');
  if (parts.length > 0) return parts.join(', ');
  return exit === 0 ? 'nothing to do' : 'nothing was done';
}

/** The command line of a run for a list: flags that `syncer run` put before the command of a job come last. */
export function runLine({ words }: Pick<PastRun, 'words'>): string {
  const at = words.findIndex((word) => !word.startsWith('-'));
  const isJob = JOB_COMMANDS.some((command) => command === words[at]);
  return shellLine(isJob ? [...words.slice(at), ...words.slice(0, at)] : words);
}

/** Whether the same run can show its plan first: `--review` can follow its words, which it cannot after a `--`. */
export function canPlan({ words }: Pick<PastRun, 'words'>): boolean {
  const isReal = !words.some((word) => /^(-n|--|--dry-run(=true)?|--review(=true)?)$/.test(word));
  // A plan can be applied where it can be made.
  const { commands } = FLAGS.apply;
  return isReal && words.some((word) => commands.includes(word));
}

/** Whether nothing of what a run changed can be restored. */
export function keepsNothing({ gone, changes }: RunSum = { gone: 0, changes: {} }): boolean {
  const made = Object.values(changes).reduce<number>((sum, count = 0) => sum + count, 0);
  return gone > 0 && gone >= made;
}
