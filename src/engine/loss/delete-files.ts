import { hasCode } from '../../core/errors.ts';
import { type FileEntry, mostDeleted, type Op, type Remote } from '../../core/remote.ts';
import { deleteOne } from '../../core/remote-calls.ts';
import type { Run } from '../run.ts';
import { createTaskPool } from '../task-pool.ts';
import {
  type AskEach,
  asksFirst,
  type Loss,
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
  const loss: Loss = { ...rules, remote, why: 'deleted' };
  const isAskedFirst = asksFirst(run, loss);
  const asked: Loss = isAskedFirst ? { ...loss, ask: 'agreed' } : loss;
  // One by one if a person is asked about each: an allowed deletion is made, whatever comes after.
  const asks = consent.how !== 'all' && asked.ask !== 'agreed';
  const atOnce = rules.areVersions === true ? mostDeleted : (remote.can.deletesAtOnce ?? 1);
  const size = aside !== undefined || asks ? 1 : atOnce;
  for await (const found of inBatches(files, size)) {
    if (run.control?.pauses.current !== undefined) await run.control.ready(run.op.signal);
    const batch = isAskedFirst ? await agreedOf(run, loss, found, width) : found;
    if (run.op.signal.aborted || run.isStopping()) break;
    for (let left = batch; left.length > 0; ) {
      const held = await budget.reserve(remote, left);
      if (held.files.length === 0) {
        await pool.idle();
        if (rules.goesOn !== true) {
          run.tally.add(budget.error(), undefined);
          return deleted;
        }
        for (const file of left) became?.(file, budget.error());
        break;
      }
      await pool.add(async () => {
        const outcome = await loseHeld(run, asked, held, (some) => destroy(run, loss, rules, some));
        deleted += outcome.count;
        for (const file of outcome.gone) became?.(file);
        for (const [file, error] of outcome.failed) {
          if (became !== undefined) became(file, error);
          // Where it is taken away, what is missing may be a directory of the backup.
          else if (aside !== undefined || !hasCode(error, 'file-not-found'))
            run.fail(error, rules.nameOf?.(file) ?? file.path, 'delete');
        }
      });
      left = left.slice(held.files.length);
    }
  }
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

/** Deletes files by one request, or takes one away. */
async function destroy(
  run: Run,
  { remote, aside }: Loss,
  { unchanged: ifUnchanged = false, areVersions = false }: DeleteRules,
  files: readonly FileEntry[],
): Promise<ReadonlyMap<FileEntry, unknown> | undefined> {
  const { op } = run;
  if (aside !== undefined) {
    for (const file of files) await aside.take(file);
    return undefined;
  }
  if (areVersions) return remote.can.deleteKept?.(files, op);
  return files.length === 1 ? remote.delete(files, op, { ifUnchanged }) : remote.delete(files, op);
}

/** The files in batches of this size, but for the last one: pages of a listing may be short. */
async function* inBatches(
  pages: AsyncIterable<readonly FileEntry[]> | Iterable<readonly FileEntry[]>,
  size: number,
): AsyncGenerator<readonly FileEntry[]> {
  let batch: FileEntry[] = [];
  for await (const page of pages) {
    for (const file of page) {
      batch.push(file);
      if (batch.length < size) continue;
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
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
