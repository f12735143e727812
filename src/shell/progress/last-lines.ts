import { isStop, type SyncerError } from '../../core/errors.ts';
import { shortRunId } from '../../core/run-id.ts';
import { counted, figure, harmless } from '../../core/shown-text.ts';
import { shellLine } from '../../system/shell-words.ts';
import type { Glyphs } from '../../terminal/look.ts';
import { type Line, span } from '../../terminal/span.ts';
import { took } from '../../terminal/time-texts.ts';
import { type Failure, failureText } from './failures.ts';
import { elapsedMs, type ProgressState, totalTransfers } from './progress-state.ts';
import { shortRate, shortSize } from './short-size.ts';

/** More causes of errors are only counted at the end of a run. */
const MOST_CAUSES = 5;
/** More files with errors are only counted, of all causes together. */
const MOST_FILES = 10;

/** What decides the words of the last lines. */
export interface RunEnd {
  readonly thrown: SyncerError | undefined;
  /** `--dry-run`: nothing was changed. */
  readonly isDryRun: boolean;
  readonly unit: 'bytes' | 'bits';
  /** The run in the history; `''` if it is in none. */
  readonly runId: string;
  /** The words of the command, if it can be repeated for some of its files; without secrets. */
  readonly again?: readonly string[] | undefined;
}

/** What a run came to, for people: `✓ 10,007 files, 2.2 GiB in 19.5 s (117 MiB/s)`; no line if it did nothing. */
export function lastLines(
  state: ProgressState,
  nowMs: number,
  end: RunEnd,
  { tick, cross, stop }: Glyphs,
): Line[] {
  const { thrown } = end;
  const left = totalTransfers(state) - state.transfers;
  if (thrown !== undefined && isStop(thrown)) {
    const again = left > 0 ? ' Run the same command to continue.' : '';
    const { transfers } = state;
    const files =
      left > 0 ? `: ${figure(transfers)} of ${counted(totalTransfers(state), 'file')}.` : '.';
    return [[span(`${stop} Stopped${files}${again}`, 'warn')]];
  }
  const sum = sumText(state, nowMs, end);
  if (thrown === undefined && state.errors === 0)
    return sum === '' ? [] : [[span(`${tick} ${sum}`, 'good')]];
  const causes = [...state.failures.byCause.values()];
  const others = causes.length - MOST_CAUSES;
  return [
    [span(`${cross} ${sum || 'Failed'}`, 'bad')],
    ...causeLines(causes.slice(0, MOST_CAUSES), end.runId),
    ...(others > 0 ? [[span(`  and ${others} other causes`, 'bad')]] : []),
    ...againLines(state, causes, end.again),
  ];
}

/** The command that repeats only what failed, if that is a few files. */
function againLines(
  { errors, failedTransfers }: ProgressState,
  causes: readonly Failure[],
  again: readonly string[] | undefined,
): Line[] {
  const paths = causes.flatMap((cause) => cause.paths);
  const areFiles = paths.length === errors && failedTransfers === errors;
  if (again === undefined || !areFiles || errors === 0 || errors > MOST_FILES) return [];
  const named = paths.flatMap((path) => ['--include', `/${path.replace(/[*?[\]{}\\]/g, '\\$&')}`]);
  return [
    [span('  to repeat only these:', 'dim')],
    [span(`  ${harmless(shellLine([...again, ...named]))}`)],
  ];
}

/** Each cause, below it the first of its files; the history has all. */
function causeLines(causes: readonly Failure[], runId: string): Line[] {
  let room = MOST_FILES;
  return causes.flatMap((cause): Line[] => {
    const { count, paths } = cause;
    const named = count > 1 ? paths.slice(0, room) : [];
    room -= named.length;
    const more = paths.length === 0 || count === 1 ? 0 : count - named.length;
    const where = runId === '' ? '' : `: syncer history ${shortRunId(runId)}`;
    return [
      [span(`  ${failureText(cause)}`, 'bad')],
      ...named.map((path): Line => [span(`    ${harmless(path)}`)]),
      ...(more > 0 ? [[span(`    and ${figure(more)} more${where}`, 'dim')]] : []),
    ];
  });
}

function sumText(state: ProgressState, nowMs: number, { isDryRun, unit }: RunEnd): string {
  const { transfers, checks, bytes, deletedFiles, renames } = state;
  const total = totalTransfers(state);
  const ms = elapsedMs(state, nowMs);
  const checked = checks - deletedFiles;
  const moved = transfers + renames;
  const doing = isDryRun ? ' to transfer' : '';
  const files =
    total > transfers
      ? `${figure(transfers)} of ${counted(total, 'file')}`
      : counted(transfers, 'file');
  const amount = bytes > 0 ? `, ${shortSize(bytes)}` : '';
  const rate =
    bytes > 0 && ms >= 100 && !isDryRun ? ` (${shortRate((bytes * 1000) / ms, unit)})` : '';
  const more = [
    renames > 0 ? `${figure(renames)} renamed` : '',
    deletedFiles > 0 ? `${figure(deletedFiles)} ${isDryRun ? 'to delete' : 'deleted'}` : '',
    total > 0 && checked > 0 && moved > 0 ? `${figure(checked)} checked` : '',
  ].filter((text) => text !== '');
  if (total > 0) return [`${files}${doing}${amount} in ${took(ms)}${rate}`, ...more].join(', ');
  if (more.length > 0) return `${more.join(', ')} in ${took(ms)}`;
  return checked > 0 ? `${counted(checked, 'file')} checked in ${took(ms)}` : '';
}
