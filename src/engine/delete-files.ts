import { hasCode, SyncerError, toSyncerError } from '../core/errors.ts';
import type { FileEntry, Remote } from '../core/remote.ts';
import type { SeenPath } from './approval.ts';
import type { Pass } from './pass.ts';
import { type OwnAction, perform } from './perform.ts';
import type { Run } from './run.ts';
import type { DeleteBudget } from './run-limits.ts';
import { createTaskPool } from './task-pool.ts';

/** The rules of a deletion. */
export interface DeleteRules {
  /** The run's approval has allowed all of it already. */
  readonly agreed?: boolean;
  /** A file that has changed since it was listed stays and is an error, if the remote can tell. */
  readonly unchanged?: true;
  /** The run stops with exit code 7 at the first file beyond it. */
  readonly budget: DeleteBudget;
  /** Number of parallel requests. */
  readonly width: number;
  /** What may keep a file, or take it away instead; `takeAway` of one of them at most. */
  readonly passes?: readonly Pass[];
  /** What a deletion is about beside the file. */
  readonly seen?: (file: FileEntry) => readonly SeenPath[];
  /** Gets what became of each file; with an error it is not deleted, and the run does not count the error. */
  readonly became?: (file: FileEntry, error?: unknown) => void;
}

/**
 * Deletes files, many per request if the remote can. Errors of single files are counted one by one; a missing file is
 * none, unless it was to be taken away. Resolves to how many were deleted.
 */
export async function deleteFiles(
  run: Run,
  remote: Remote,
  files: AsyncIterable<readonly FileEntry[]> | Iterable<readonly FileEntry[]>,
  rules: DeleteRules,
): Promise<number> {
  let deleted = 0;
  const { budget } = rules;
  const pool = createTaskPool(rules.width, rules.width);
  const asks = run.approval !== undefined && rules.agreed !== true;
  const asksAll = asks && run.approval?.flag === '--review';
  const takeAway = rules.passes?.find((pass) => pass.takeAway !== undefined)?.takeAway;
  // One by one if a person is asked about each: an allowed deletion is made, whatever comes after.
  const isOneByOne = takeAway !== undefined || (asks && !asksAll);
  const size = isOneByOne ? 1 : (remote.can.deletesAtOnce ?? 1);
  const one: OneByOne = { ...rules, takeAway, agreed: asksAll || rules.agreed === true };
  for await (const found of inBatches(files, size)) {
    if (run.control?.pauses.current !== undefined) await run.control.ready(run.op.signal);
    const batch = asksAll ? await agreedOf(run, remote, found, one) : found;
    if (run.op.signal.aborted || run.isStopping()) break;
    for (let left = batch; left.length > 0; ) {
      const most = await budget.reserve(remote, left);
      const allowed = left.slice(0, most);
      if (allowed.length === 0) {
        if (rules.became === undefined) {
          await pool.idle();
          run.tally.add(budget.error(), undefined);
          return deleted;
        }
        for (const file of left) rules.became(file, budget.error());
        break;
      }
      await pool.add(async () => {
        if (allowed.length > 1) {
          const gone = await removeBatch(run, remote, allowed, rules);
          deleted += gone;
        } else for (const file of allowed) if (await removeOne(run, remote, file, one)) deleted++;
      });
      left = left.slice(most);
    }
  }
  await pool.idle();
  return deleted;
}

/** How files are deleted one by one. */
interface OneByOne extends DeleteRules {
  /** What takes files away instead of deleting them. */
  readonly takeAway: Pass['takeAway'];
}

/** As full as possible: pages of a listing may be short. */
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

/** Those of the files that may be deleted. */
async function agreedOf(
  run: Run,
  remote: Remote,
  files: readonly FileEntry[],
  rules: OneByOne,
): Promise<readonly FileEntry[]> {
  const keeps = rules.takeAway !== undefined;
  const may = (file: FileEntry) =>
    run.mayChange({ do: 'delete', file, keeps }, seenOf(remote, file, rules));
  const agreed: FileEntry[] = [];
  if (run.approval?.waits !== true) {
    for (const file of files) if (await may(file)) agreed.push(file);
    return agreed;
  }
  const pool = createTaskPool(rules.width, rules.width);
  for (const file of files) {
    await pool.add(async () => {
      try {
        if (await may(file)) agreed.push(file);
      } catch (thrown) {
        run.fail(thrown, file.path, 'look-up');
      }
    });
  }
  await pool.idle();
  return agreed;
}

function seenOf(remote: Remote, file: FileEntry, { seen }: DeleteRules): readonly SeenPath[] {
  return [{ remote, path: file.path, listed: file }, ...(seen?.(file) ?? [])];
}

/** Files that were deleted: what is logged and counted. */
export function tellDeleted(run: Run, files: readonly Pick<FileEntry, 'path' | 'size'>[]): void {
  if (files.length === 0) return;
  for (const { path } of files) {
    run.outcomes?.gone(path);
    run.log('info', path, 'deleted');
  }
  const bytes = files.reduce((sum, file) => sum + Math.max(0, file.size), 0);
  run.context.emit({ type: 'deleted', files: files.length, dirs: 0, bytes });
}

/** Whether the file was deleted. */
async function removeOne(
  run: Run,
  remote: Remote,
  file: FileEntry,
  rules: OneByOne,
): Promise<boolean> {
  const { agreed = false, passes = [], unchanged: ifUnchanged = false, takeAway } = rules;
  const before = async () => {
    for (const pass of passes) await pass.refuseDelete?.(file);
  };
  const action: OwnAction = { do: 'delete', file, keeps: takeAway !== undefined };
  try {
    // Only after a review are they looked at once more.
    const seen = run.approval?.waits === true ? seenOf(remote, file, rules) : [];
    const how = { agreed, seen, before, ifUnchanged, takeAway };
    const done = await perform(run, remote, action, how);
    rules.budget.settle(remote, file);
    if (done !== undefined) rules.became?.(file);
    return done !== undefined;
  } catch (thrown) {
    rules.budget.settle(remote, file, thrown);
    // Where it is taken away, what is missing may be a directory of the backup.
    const isGone = takeAway === undefined && hasCode(thrown, 'file-not-found');
    if (rules.became !== undefined) rules.became(file, thrown);
    else if (!isGone) run.fail(thrown, file.path, 'delete');
    return false;
  }
}

/** How many of the files were deleted, of those that every pass lets go. */
async function removeBatch(
  run: Run,
  remote: Remote,
  allowed: readonly FileEntry[],
  { became, passes = [], budget }: DeleteRules,
): Promise<number> {
  const refusing = passes.filter(({ refuseDelete }) => refuseDelete !== undefined);
  const files: FileEntry[] = refusing.length === 0 ? [...allowed] : [];
  if (refusing.length > 0)
    for (const file of allowed) {
      try {
        for (const pass of refusing) await pass.refuseDelete?.(file);
        files.push(file);
      } catch (thrown) {
        budget.settle(remote, file, thrown);
        run.fail(thrown, file.path, 'delete');
      }
    }
  if (files.length === 0) return 0;
  try {
    const failures = await remote.delete(files, run.op);
    for (const file of files) budget.settle(remote, file, failures.get(file));
    for (const [file, error] of failures) {
      if (became !== undefined) became(file, error);
      else {
        run.outcomes?.failed(file.path, 'delete');
        run.tally.add(error, file.path, 'delete');
      }
    }
    const gone = files.filter((file) => !failures.has(file));
    tellDeleted(run, gone);
    for (const file of gone) became?.(file);
    return gone.length;
  } catch (thrown) {
    const error = toSyncerError(thrown);
    for (const file of files) {
      // An error counts once: each file gets its own.
      const own = new SyncerError(error.code, error.message, error);
      budget.settle(remote, file, own);
      if (became !== undefined) became(file, own);
      else run.fail(own, file.path, 'delete');
    }
    return 0;
  }
}
