import { hasCode } from '../../core/errors.ts';
import { type FileEntry, mostDeleted, type Op, type Remote } from '../../core/remote.ts';
import { deleteOne } from '../../core/remote-calls.ts';
import type { Run } from '../run.ts';
import { createTaskPool } from '../task-pool.ts';
import {
  type AskEach,
  asksFirst,
  type Destroyed,
  type Loss,
  type Losses,
  type LossRules,
  loseHeld,
  loseOne,
  mayLose,
} from './lose.ts';

/** The rules of a deletion, beside those of each loss. */
export interface DeleteRules extends LossRules {
  /** As in `Loss`. */
  readonly ask?: 'agreed' | AskEach;
  /** A single file that has changed since it was listed stays and is an error, if the remote can tell. */
  readonly unchanged?: boolean;
  /** They are versions, delete markers and unfinished uploads, each deleted for good by its own name. */
  readonly areVersions?: boolean;
  /** Number of parallel requests. */
  readonly width: number;
  /**
   * Gets what became of each file that is gone, or would be with `--dry-run`, and with an error of each that is not; the
   * run does not count the error. Not called for files that the person declines.
   */
  readonly became?: (file: FileEntry, error?: unknown) => void;
  /** What is beyond the budget fails file by file, and is not the error of the run: for the browser. */
  readonly goesOn?: true;
}

/**
 * Deletes files, many per request if the remote can, until the budget is used up. Errors of single files are counted one
 * by one; a missing file is none, unless it was to be taken away. Resolves to how many were deleted.
 */
export async function deleteFiles(
  run: Run,
  remote: Remote,
  files: AsyncIterable<readonly FileEntry[]> | Iterable<readonly FileEntry[]>,
  rules: DeleteRules,
): Promise<number> {
  let deleted = 0;
  const { budget, consent } = run;
  const { width, became, aside } = rules;
  const pool = createTaskPool(width, width);
  const destroy = destroyerOf(run, remote, rules);
  const loss: Loss = { ...rules, remote, why: 'deleted' };
  const isAskedFirst = asksFirst(run, loss);
  const asked: Loss = isAskedFirst ? { ...loss, ask: 'agreed' } : loss;
  // One by one if a person is asked about each: an allowed deletion is made, whatever comes after.
  const asks = consent.how !== 'all' && asked.ask !== 'agreed';
  const atOnce = rules.areVersions === true ? mostDeleted : (remote.can.deletesAtOnce ?? 1);
  const size = aside !== undefined || asks ? 1 : atOnce;
  const reportFailed = (error: unknown, file: FileEntry) => {
    if (became !== undefined) became(file, error);
    // Where it is taken away, what is missing may be a directory of the backup.
    else if (aside !== undefined || !hasCode(error, 'file-not-found'))
      run.fail(error, rules.nameOf?.(file) ?? file.path, 'delete');
  };
  const settle = (lost: Losses) => {
    deleted += lost.count;
    if (became !== undefined) for (const file of lost.gone) became(file);
    if (lost.failed.size > 0) lost.failed.forEach(reportFailed);
  };
  /** Resolves to whether others may follow. */
  const deleteBatch = async (found: readonly FileEntry[]): Promise<boolean> => {
    if (run.control?.pauses.current !== undefined) await run.control.ready(run.op.signal);
    const batch = isAskedFirst ? await agreedOf(run, loss, found, width) : found;
    if (run.op.signal.aborted || run.isStopping()) return false;
    for (let from = 0; from < batch.length; ) {
      const left = from === 0 ? batch : batch.slice(from);
      const reserving = budget.reserve(remote, left);
      const held = reserving instanceof Promise ? await reserving : reserving;
      from += held.files.length;
      if (held.files.length === 0) {
        await pool.idle();
        if (rules.goesOn !== true) {
          run.tally.add(budget.error(), undefined);
          return false;
        }
        for (const file of left) became?.(file, budget.error());
        return true;
      }
      await pool.add(() => loseHeld(run, asked, held, destroy).then(settle));
    }
    return true;
  };
  // Full, but for the last one: pages of a listing may be short.
  let batch: FileEntry[] = [];
  let goesOn = true;
  for await (const page of files) {
    for (let at = 0; at < page.length && goesOn; at++) {
      batch.push(page[at] as FileEntry);
      if (batch.length < size) continue;
      goesOn = await deleteBatch(batch);
      batch = [];
    }
    if (!goesOn) break;
  }
  if (batch.length > 0) await deleteBatch(batch);
  await pool.idle();
  return deleted;
}

/**
 * Deletes one file, unless it has changed since it was looked at. Resolves to whether it is gone; rejects with the error.
 */
export async function deleteFile(run: Run, remote: Remote, file: FileEntry): Promise<boolean> {
  const destroy = () => deleteOne(remote, file, run.op, { ifUnchanged: true });
  return (await loseOne(run, { remote, why: 'deleted' }, file, destroy)) === 'gone';
}

/** Deletes versions and delete markers for good, as part of a loss. Rejects with the first failure. */
export async function destroyVersions(
  { can }: Remote,
  versions: readonly FileEntry[],
  op: Op,
): Promise<void> {
  const failures = await can.deleteKept?.(versions, op);
  for (const failure of failures?.values() ?? []) throw failure;
}

/** What deletes files by one request, or takes them away. */
function destroyerOf(
  { op }: Run,
  remote: Remote,
  { aside, areVersions, unchanged: ifUnchanged = false }: DeleteRules,
): (files: readonly FileEntry[]) => Promise<Destroyed> {
  if (aside !== undefined)
    return async (files) => {
      for (const file of files) await aside.take(file);
      return undefined;
    };
  if (areVersions === true) return async (files) => remote.can.deleteKept?.(files, op);
  return (files) =>
    files.length === 1 ? remote.delete(files, op, { ifUnchanged }) : remote.delete(files, op);
}

/** In a review: those of the files that may be deleted. */
async function agreedOf(
  run: Run,
  loss: Loss,
  files: readonly FileEntry[],
  width: number,
): Promise<readonly FileEntry[]> {
  const agreed: FileEntry[] = [];
  const { consent } = run;
  if (consent.how !== 'chosen' || !consent.plan.hasWaited) {
    for (const file of files) if (await mayLose(run, loss, file)) agreed.push(file);
    return agreed;
  }
  // Each is looked at once more.
  const pool = createTaskPool(width, width);
  for (const file of files) {
    await pool.add(async () => {
      try {
        if (await mayLose(run, loss, file)) agreed.push(file);
      } catch (thrown) {
        run.fail(thrown, file.path, 'look-up');
      }
    });
  }
  await pool.idle();
  return agreed;
}
