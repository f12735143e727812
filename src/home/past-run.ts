import { isRunId } from '../kit/run-id.ts';

/** A run that has ended, as the history keeps it. */
export interface PastRun {
  /** See `newRunId`; absent for runs of versions before. */
  readonly id?: string;
  /** When it ended, in milliseconds since the epoch. */
  readonly endedMs: number;
  /** How long it took, in milliseconds. */
  readonly tookMs: number;
  /** The words after the program's name, without secrets. */
  readonly words: readonly string[];
  /** The working directory, for local paths among the words; `''` where it was removed during the run. */
  readonly dir: string;
  readonly exit: number;
  readonly files: number;
  readonly bytes: number;
  readonly checks: number;
  readonly deleted: number;
  readonly errors: number;
  /** The most memory the process had, in bytes; absent for runs of versions before. */
  readonly peakMemory?: number;
  /** What interrupted uploads and downloads had left, and was continued, in bytes; absent if nothing. */
  readonly resumedBytes?: number;
  /** How long requests waited because servers throttled, all together, in milliseconds; absent if not. */
  readonly throttledMs?: number;
  /** All changes of its journal; absent if none, and for runs of versions before. */
  readonly changes?: number;
  /** Changes whose result is not known; absent if none. */
  readonly unknown?: number;
  /** Nothing was changed: a dry run, or a plan that was only shown or saved. */
  readonly isTrial?: true;
  /** The last error, where there was one. */
  readonly error?: string;
}

/** Commands that take `--review`. */
const PLANNED: ReadonlySet<string> = new Set(
  'copy sync bisync move copyto moveto delete purge'.split(' '),
);

/** Whether the same run can show its plan first: `--review` can follow its words, which it cannot after a `--`. */
export function canPlan({ words }: Pick<PastRun, 'words'>): boolean {
  const isReal = !words.some((word) => /^(-n|--|--dry-run(=true)?|--review(=true)?)$/.test(word));
  return isReal && words.some((word) => PLANNED.has(word));
}

/** A run as one line of the history's file. */
export function formatPastRun(run: PastRun): string {
  return `${JSON.stringify(run)}\n`;
}

/** The run in a line of the history's file; `undefined` where it is none: a line cut by a crash, another version's. */
export function parsePastRun(line: string): PastRun | undefined {
  let run: Partial<Record<keyof PastRun, unknown>>;
  try {
    run = JSON.parse(line) as typeof run;
  } catch {
    return undefined;
  }
  if (typeof run !== 'object' || run === null) return undefined;
  const numbers = ['endedMs', 'tookMs', 'exit', 'files', 'bytes', 'checks', 'deleted', 'errors'];
  const isRun =
    numbers.every((name) => Number.isFinite(run[name as keyof PastRun])) &&
    !Number.isNaN(new Date(run.endedMs as number).getTime()) &&
    [run.resumedBytes, run.throttledMs, run.changes, run.unknown].every(
      (n) => n === undefined || Number.isFinite(n),
    ) &&
    typeof run.dir === 'string' &&
    Array.isArray(run.words) &&
    run.words.length > 0 &&
    run.words.every((word) => typeof word === 'string') &&
    (run.peakMemory === undefined || Number.isFinite(run.peakMemory)) &&
    (run.id === undefined || (typeof run.id === 'string' && isRunId(run.id))) &&
    (run.error === undefined || typeof run.error === 'string') &&
    (run.isTrial === undefined || run.isTrial === true);
  return isRun ? (run as PastRun) : undefined;
}
