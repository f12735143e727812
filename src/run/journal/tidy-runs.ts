import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { isRunId, provenTimeMs } from '../../core/run-id.ts';
import { isTooOld, JOURNAL_NAMES, LARGE_JOURNAL, MOST_RUNS } from './kept-runs.ts';

/** How large all journals may be, in bytes. */
const MOST_BYTES = 1024 ** 3;

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
    const ids = fs.readdirSync(runs).filter(isRunId).sort().reverse();
    const provenMs = provenTimeMs(ids, nowMs);
    let bytes = 0;
    for (const [index, id] of ids.entries()) {
      const own = join(runs, id);
      if (index >= MOST_RUNS || isTooOld(id, provenMs)) {
        if (!(await goesOn(id))) fs.rmSync(own, { recursive: true });
        continue;
      }
      for (const name of JOURNAL_NAMES) {
        const path = join(own, name);
        // Hundreds of these calls take a millisecond; waiting for each takes many.
        bytes += fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0;
        if (bytes > MOST_BYTES) fs.rmSync(path, { force: true });
      }
    }
  } catch {
    // A later run tries again.
  }
}

async function compress(folder: string): Promise<void> {
  const [plain, packed] = JOURNAL_NAMES.map((name) => join(folder, name)) as [string, string];
  if (fs.statSync(plain).size < LARGE_JOURNAL) return;
  const [{ pipeline }, { replaceFile }] = await Promise.all([
    import('node:stream/promises'),
    import('../../state/replace-file.ts'),
  ]);
  // Not imported: the names of its constants would be read at every start.
  const { constants, createZstdCompress } = process.getBuiltinModule('node:zlib');
  const compressed = createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 1 } });
  const compressing = pipeline(fs.createReadStream(plain), compressed);
  const replacing = replaceFile(packed, compressed, {
    mayReplace: () => compressing.then(() => true),
  });
  replacing.catch(() => compressed.destroy());
  await Promise.all([replacing, compressing]);
  fs.rmSync(plain);
}
