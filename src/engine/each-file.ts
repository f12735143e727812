import { SyncerError } from '../core/errors.ts';
import type { Doing } from '../core/reason.ts';
import type { FileEntry, Remote } from '../core/remote.ts';
import type { Run } from './run.ts';
import { createTaskPool } from './task-pool.ts';

export interface EachFile {
  /** Number of files in parallel. */
  readonly width: number;
  /** The action, for `--dry-run` and `--interactive`. */
  readonly action: string;
  /** The action, for the error of a file. */
  readonly doing: Doing;
}

/**
 * Changes many files one by one, if allowed; resolves to their number. Errors of single files are counted and do not
 * stop the others.
 */
export async function changeEachFile(
  run: Run,
  pages: AsyncIterable<readonly FileEntry[]> | Iterable<readonly FileEntry[]>,
  { width, action, doing }: EachFile,
  change: (file: FileEntry) => Promise<unknown>,
): Promise<number> {
  const pool = createTaskPool(width, width);
  let count = 0;
  for await (const files of pages) {
    count += files.length;
    for (const file of files) {
      if (run.op.signal.aborted || run.isStopping()) break;
      await run.control?.ready(run.op.signal);
      await pool.add(async () => {
        if (run.op.signal.aborted) return;
        const { path, size } = file;
        try {
          const other = { do: 'other', words: action, about: path, size } as const;
          if (await run.mayChange(other)) await change(file);
        } catch (thrown) {
          run.fail(thrown, path, doing);
        }
      });
    }
  }
  await pool.idle();
  return count;
}

/**
 * Moves files to another storage class, `width` in parallel. Rejects with `unsupported` if the remote has no classes.
 */
export async function setTierOfFiles(
  run: Run,
  remote: Remote,
  pages: AsyncIterable<readonly FileEntry[]>,
  { tier, width }: { readonly tier: string; readonly width: number },
): Promise<void> {
  const { setTier } = remote.can;
  if (setTier === undefined) {
    throw new SyncerError('unsupported', `${remote.title} does not support settier`);
  }
  const how: EachFile = { width, action: 'set tier', doing: 'set-tier' };
  await changeEachFile(run, pages, how, (file) => setTier(file, tier, run.op));
}
