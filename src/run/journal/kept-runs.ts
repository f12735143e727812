import {
  closeSync,
  createReadStream,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SyncerError } from '../../core/errors.ts';
import { hasBegunBefore, isRunId, provenTimeMs } from '../../core/run-id.ts';
import { goErrno } from '../../go/go-texts.ts';

/** The names of a journal, as it is written and compressed. */
export const JOURNAL_NAMES = ['journal.jsonl', 'journal.jsonl.zst'] as const;

/** The error of a file or directory of the history that cannot be read, with its path. */
export function unreadableHistory(path: string, thrown: unknown): SyncerError {
  const text = `cannot read the history of runs in ${path}: ${goErrno(thrown)}`;
  return new SyncerError('other', text, { path, cause: thrown });
}

/**
 * The ids of the runs in a folder, newest first; empty if there is no such folder. Rejects with `other` and its path if
 * it cannot be read.
 */
export async function listRuns(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter(isRunId).sort().reverse();
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw unreadableHistory(folder, thrown);
  }
}

/** Whether the journal of the run in a folder is still kept, and has something: on a full disk it is empty. */
export function hasJournal(folder: string): boolean {
  const sizeOf = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.size;
  return JOURNAL_NAMES.some((name) => (sizeOf(name) ?? 0) > 0);
}

const END = '"end":true}\n';

/** Whether the journal of the run in a folder has an end: the run was not interrupted. `false` for a compressed one. */
export function hasJournalEnd(folder: string): boolean {
  try {
    const file = openSync(join(folder, JOURNAL_NAMES[0]), 'r');
    try {
      const tail = Buffer.alloc(END.length);
      readSync(file, tail, 0, tail.length, fstatSync(file).size - tail.length);
      return tail.equals(Buffer.from(END));
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
}

const MOST_RUNS = 200;

/** How long runs are kept, in milliseconds. */
export const LONGEST_MS = 90 * 24 * 3_600_000;

/** From this size a journal is compressed, in bytes: 50,000 changes. A smaller one is not worth the time. */
const LARGE_JOURNAL = 4 * 1024 ** 2;

/**
 * Whether there is nothing for `tidyRuns` to do after a run whose journal has `bytes`: only large journals can be too
 * much together.
 *
 * @param runs the folder of all runs
 */
export function isTidy(runs: string, bytes: number, nowMs: number): boolean {
  if (bytes >= LARGE_JOURNAL) return false;
  try {
    const ids = readdirSync(runs).filter(isRunId).sort();
    // Not at the end of each run.
    if (ids.length > MOST_RUNS + 50) return false;
    const sinceMs = provenTimeMs(ids, nowMs) - LONGEST_MS;
    return !ids.some((id) => hasBegunBefore(id, sinceMs));
  } catch {
    return true;
  }
}

/**
 * Compresses the journal of the run in `folder`, which has ended, and deletes what is too old or too much beside it:
 * runs beyond 200 or 90 days, and the oldest journals beyond 1 GiB. Never rejects: what fails is tidied by a later run.
 *
 * @param goesOn whether a run may still go on
 */
export async function tidyRuns(
  folder: string,
  nowMs: number,
  goesOn: (id: string) => Promise<boolean>,
): Promise<void> {
  await compress(folder).catch(() => {});
  try {
    const runs = dirname(folder);
    const ids = readdirSync(runs).filter(isRunId).sort().reverse();
    const sinceMs = provenTimeMs(ids, nowMs) - LONGEST_MS;
    let bytes = 0;
    for (const [index, id] of ids.entries()) {
      const own = join(runs, id);
      if (index >= MOST_RUNS || hasBegunBefore(id, sinceMs)) {
        if (!(await goesOn(id))) rmSync(own, { recursive: true });
        continue;
      }
      for (const name of JOURNAL_NAMES) {
        const path = join(own, name);
        // Hundreds of these calls take a millisecond; waiting for each takes many.
        bytes += statSync(path, { throwIfNoEntry: false })?.size ?? 0;
        if (bytes > 1024 ** 3) rmSync(path, { force: true });
      }
    }
  } catch {
    // A later run tries again.
  }
}

async function compress(folder: string): Promise<void> {
  const [plain, packed] = JOURNAL_NAMES.map((name) => join(folder, name)) as [string, string];
  if (statSync(plain).size < LARGE_JOURNAL) return;
  const [{ pipeline }, { replaceFile }] = await Promise.all([
    import('node:stream/promises'),
    import('../../state/replace-file.ts'),
  ]);
  // Not imported: the names of its constants would be read at every start.
  const { constants, createZstdCompress } = process.getBuiltinModule('node:zlib');
  const compressed = createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 1 } });
  const compressing = pipeline(createReadStream(plain), compressed);
  const replacing = replaceFile(packed, compressed, {
    mayReplace: () => compressing.then(() => true),
  });
  replacing.catch(() => compressed.destroy());
  await Promise.all([replacing, compressing]);
  rmSync(plain);
}
