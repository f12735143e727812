import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress } from 'node:zlib';
import { isRunId, runTimeMs } from '../kit/run-id.ts';
import { isRunning, JOURNAL_NAMES } from './read-run.ts';

/** How many runs are kept. */
const MOST_RUNS = 200;

/** How long runs are kept, in milliseconds. */
export const LONGEST_MS = 90 * 24 * 3_600_000;

/** How large all journals may be, in bytes. */
const MOST_BYTES = 1024 ** 3;

/** From this size a journal is compressed, in bytes: a smaller one takes no less on a disk. */
const LARGE = 16 * 1024;

/**
 * Compresses the journal of the run in `folder`, which has ended, and deletes what is too old or too much beside it:
 * runs beyond 200 or 90 days, and the oldest journals beyond 1 GiB. Never rejects: what fails is tidied by a later run.
 */
export async function tidyRuns(folder: string, nowMs: number): Promise<void> {
  await compress(folder).catch(() => {});
  await prune(dirname(folder), nowMs).catch(() => {});
}

async function compress(folder: string): Promise<void> {
  const [plain, packed] = JOURNAL_NAMES.map((name) => join(folder, name)) as [string, string];
  if ((await stat(plain)).size < LARGE) return;
  const beside = `${packed}.part`;
  await pipeline(
    createReadStream(plain),
    createZstdCompress(),
    createWriteStream(beside, { mode: 0o600, flush: true }),
  );
  await rename(beside, packed);
  await rm(plain);
}

async function prune(runs: string, nowMs: number): Promise<void> {
  const ids = (await readdir(runs)).filter(isRunId).sort().reverse();
  const isOld = (id: string) => nowMs - runTimeMs(id) > LONGEST_MS;
  const kept = ids.filter((id, index) => index < MOST_RUNS && !isOld(id));
  for (const id of ids) {
    const folder = join(runs, id);
    if (kept.includes(id) || (await isRunning(folder))) continue;
    await rm(folder, { recursive: true });
  }
  let bytes = 0;
  for (const id of kept) {
    for (const name of JOURNAL_NAMES) {
      const path = join(runs, id, name);
      bytes += (await stat(path).catch(() => undefined))?.size ?? 0;
      if (bytes > MOST_BYTES) await rm(path, { force: true });
    }
  }
}
