import { counted } from '../../src/core/counted.ts';
import { SyncerError } from '../../src/core/errors.ts';
import { modTimeToMs } from '../../src/core/mod-time.ts';
import type { FileEntry, Op, Remote } from '../../src/core/remote.ts';
import { joinPath } from '../../src/core/remote-path.ts';
import type { Run } from '../../src/engine/run.ts';
import { createTaskPool } from '../../src/engine/task-pool.ts';
import { versionsAt } from '../../src/listing/doomed-versions.ts';
import { versionPages } from '../../src/run/listing/kept-pages.ts';
import { requestsAtOnce } from '../../src/run/remotes/remote-flags.ts';
import { runWithSum } from '../../src/run/transfer/run-attempts.ts';
import type { Invocation } from '../../src/shell/command-line/command.ts';
import type { VERSIONS_FLAGS } from './command.ts';

/** `syncer versions restore`: copies old versions onto their files. */
export async function restoreVersions(
  invocation: Invocation<typeof VERSIONS_FLAGS>,
  remote: Remote,
): Promise<void> {
  const { flags, out, approval } = invocation;
  const { restoreKept } = remote.can;
  const isOne = flags['versions-at'] === undefined;
  /** The version of the file that is named: a copy of it may come before it in the listing of the next attempt. */
  let one: FileEntry | undefined;
  /** Versions that the next attempt leaves. */
  const done = new Set<string>();
  let restored = 0;
  let equal = 0;
  const restore = async (run: Run) => {
    equal = 0;
    const width = requestsAtOnce(flags, remote);
    const pool = createTaskPool(width, width);
    for await (const file of one ? [one] : chosen(invocation, remote, run.op)) {
      if (isOne) one = file;
      if (file.kept?.kind === 'current') equal++;
      const name = `${file.path}\n${file.kept?.id}`;
      if (file.kept?.kind !== 'old' || done.has(name)) continue;
      await pool.add(async () => {
        const about = joinPath(remote.root, file.path);
        try {
          if (await run.mayChange({ do: 'other', words: 'restore', about, size: file.size })) {
            await restoreKept?.(file, run.op);
            restored++;
            const text = `Restored the version of ${timeOf(file)}`;
            run.log('info', about, 'message', { text });
          }
          done.add(name);
        } catch (thrown) {
          run.fail(thrown, about, 'copy');
        }
      });
    }
    await pool.idle();
  };
  await runWithSum(invocation, restore, async (failed) => {
    if (approval?.flag === '--dry-run') return;
    const unchanged = equal === 0 ? '' : `; ${equal} unchanged since then`;
    await out.write(`Restored ${counted(restored, 'file')}${unchanged}${failed}\n`);
  });
}

/** With `--at` what each file was then, else the newest old version of the file that is named. Rejects with `usage`. */
async function* chosen(
  invocation: Invocation<typeof VERSIONS_FLAGS>,
  remote: Remote,
  op: Op,
): AsyncGenerator<FileEntry> {
  const { flags, beganMs } = invocation;
  const pages = versionPages(remote, await invocation.filter(), op);
  const age = flags['versions-at'];
  if (age !== undefined) {
    yield* versionsAt(pages, beganMs - age);
    return;
  }
  for await (const page of pages) {
    for (const file of page) {
      // What is below the path is no version of it.
      if (file.path !== '') throw notAFile();
      if (file.kept?.kind !== 'old') continue;
      yield file;
      return;
    }
  }
  throw new SyncerError('file-not-found', `${remote.title} has no old version of this file`);
}

function notAFile(): SyncerError {
  return new SyncerError('usage', 'name a file with old versions, or give --at for a directory');
}

/** When a version was written. */
export function timeOf({ modTime }: FileEntry): string {
  return modTime === undefined ? '-' : new Date(modTimeToMs(modTime)).toISOString();
}
