import { counted, figure, harmless } from '../../core/shown-text.ts';
import { formatSizeUnit } from '../../go/quantities.ts';
import type { RunEntry } from '../../state/runs.ts';
import { shellLine } from '../../system/shell-words.ts';

/** The state of a running run in a few words: `42%, 12 MiB/s`, `paused at 42%`. */
export function runningText({ state, far, program, about, words }: RunningSummary): string {
  if (program !== undefined) return about ?? 'running';
  if (far === undefined) return 'no response';
  if (state === 'waiting')
    return words.includes('--review') ? 'waits for your review' : 'waits for your answer';
  const { bytes, totalBytes, rate, checks, totalChecks, deleted, errors } = far;
  const share =
    totalBytes > 0 ? `${Math.floor((100 * Math.min(bytes, totalBytes)) / totalBytes)}%` : '';
  const failed = errors > 0 ? [counted(errors, 'error')] : [];
  if (state !== 'running')
    return [share === '' ? state : `${state} at ${share}`, ...failed].join(', ');
  const isMoving = totalBytes > 0 && bytes < totalBytes;
  const done = isMoving
    ? [share, `${formatSizeUnit(Math.round(rate))}/s`]
    : deleted > 0
      ? [`${figure(deleted)} deleted`]
      : totalChecks > 0
        ? [`${figure(checks)} of ${figure(totalChecks)} checked`]
        : ['running'];
  return [...done, ...failed].join(', ');
}

/** Whether a run goes on until it is stopped: it has no end to watch for. */
export const isServer = ({ words: [verb] }: Pick<RunEntry, 'words'>): boolean => verb === 'serve';

/** In which terminal a run waits, and for what. */
export function whereItWaits({ terminal, pid, words }: RunningSummary): string {
  const where = terminal === undefined ? `the terminal of process ${pid}` : `terminal ${terminal}`;
  const what = words.includes('--review') ? 'review it' : 'answer it';
  return `It waits: ${what} in ${where}`;
}

/** What a running run has done, in one line: files, bytes, checks, the time that is left. */
export function runningSum({ far }: RunningSummary): string {
  if (far === undefined) return '';
  const { files, totalFiles, bytes, totalBytes, checks, deleted, secondsLeft } = far;
  const { copiedByServer = 0 } = far;
  return [
    totalFiles > 0 ? `${figure(files)} of ${counted(totalFiles, 'file')}` : '',
    totalBytes > 0 ? `${formatSizeUnit(bytes)} of ${formatSizeUnit(totalBytes)}` : '',
    copiedByServer > 0 ? `${formatSizeUnit(copiedByServer)} copied by the server` : '',
    checks > 0 ? `${figure(checks)} checked` : '',
    deleted > 0 ? `${figure(deleted)} deleted` : '',
    secondsLeft === undefined ? '' : `${timeLeft(secondsLeft)} left`,
  ]
    .filter((part) => part !== '')
    .join(', ');
}

/** Seconds for people: `7 s`, `3 min`. */
export function timeLeft(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** The command line of a running run, without the program's name where that is syncer. */
export function runningLine({ words, program }: Pick<RunningSummary, 'words' | 'program'>): string {
  const line = harmless(shellLine(words)).replace(/^syncer ?/, '');
  return program === undefined ? line : `${harmless(program)} ${line}`;
}

/** A run that goes on, as the home screen and `syncer ps` show it. */
export interface RunningSummary
  extends Pick<RunEntry, 'id' | 'words' | 'program' | 'dir' | 'pid' | 'startedMs'> {
  /** The name of its user, if those of several are listed. */
  readonly user?: string;
  /** `waiting`: for an answer at its terminal; `silent`: it does not answer, or another version of the program does. */
  readonly state: 'running' | 'waiting' | 'paused' | 'stopping' | 'silent';
  /** The terminal in which it waits, on the home screen: `pts/3`. */
  readonly terminal?: string;
  /** What a hook server does: `3 hooks, 2 running, 1 waiting`. */
  readonly about?: string;
  /** How far it is, `rate` in bytes a second; absent if it is silent, and of a hook server. */
  readonly far?: Readonly<
    Record<'bytes' | 'totalBytes' | 'rate' | 'files' | 'totalFiles', number> &
      Record<'checks' | 'totalChecks' | 'deleted' | 'errors', number>
  > & {
    /** What servers copied themselves, in bytes; absent if nothing. */
    readonly copiedByServer?: number;
    /** Whole seconds until its end, where that is known. */
    readonly secondsLeft?: number;
  };
}
