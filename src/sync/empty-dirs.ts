import { hasCode } from '../core/errors.ts';
import { compareNames } from '../core/name-order.ts';
import type { Remote } from '../core/remote.ts';
import { skippedMessage } from './dry-run.ts';
import type { Run } from './run.ts';
import type { DirPair } from './walk-both.ts';

/** Makes the directories that only the source has (`--create-empty-src-dirs`). Errors are counted. */
export async function makeMissingDirs(
  run: Run,
  dest: Remote,
  dirs: readonly DirPair[],
  dryRun: boolean,
): Promise<void> {
  if (!dest.traits.emptyDirs) return;
  for (const { source, dest: existing } of dirs) {
    if (source === undefined || existing !== undefined) continue;
    if (dryRun) {
      run.log('notice', source.path, skippedMessage('make directory'));
      continue;
    }
    try {
      await dest.makeDir(source.path, run.op);
    } catch (thrown) {
      run.fail(thrown, source.path, "Couldn't make directory: ");
    }
  }
}

/** Removes those of the directories that are empty, deepest first; the others stay. The root may be one. */
export async function removeEmptyDirs(
  run: Run,
  remote: Remote,
  dirs: readonly string[],
  dryRun: boolean,
): Promise<void> {
  for (const dir of [...dirs].sort((a, b) => compareNames(b, a))) {
    if (run.op.signal.aborted) return;
    const about = dir === '' ? remote.title : dir;
    if (dryRun) {
      run.log('notice', about, skippedMessage('remove directory'));
    } else {
      try {
        await remote.removeDir(dir, run.op);
        run.log('info', about, 'Removing directory');
      } catch (thrown) {
        if (hasCode(thrown, 'not-empty', 'directory-not-found')) continue;
        run.fail(thrown, about, "Couldn't remove directory: ");
        continue;
      }
    }
    run.context.emit({ type: 'deleted', files: 0, dirs: 1, bytes: 0 });
  }
}
