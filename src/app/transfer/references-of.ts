import { SyncerError, toSyncerError } from '../../core/errors.ts';
import type { Remote } from '../../core/remote.ts';
import { refuseCopyDest } from '../../engine/passes/references.ts';
import type { ReferenceMode, References } from '../../engine/sync-option-parts.ts';
import type { Invocation } from '../command.ts';

/**
 * Opens the directories of `--compare-dest` or `--copy-dest`. Rejects with `usage` where both are given, and with
 * `fatal` where one cannot be opened or is not fit for it.
 */
export async function referencesOf(
  invocation: Invocation,
  dest: Remote,
): Promise<References | undefined> {
  const { 'compare-dest': compare, 'copy-dest': copy } = invocation.flags;
  const mode: ReferenceMode = copy.length > 0 ? 'copy' : 'compare';
  const specs = mode === 'copy' ? copy : compare;
  if (specs.length === 0) return undefined;
  const dirs: Remote[] = [];
  for (const spec of specs) dirs.push(await openReference(invocation, mode, spec));
  if (mode === 'copy') for (const dir of dirs) refuseCopyDest(dest, dir);
  return { mode, dirs };
}

async function openReference(
  invocation: Invocation,
  mode: ReferenceMode,
  spec: string,
): Promise<Remote> {
  const fail = (why: string, cause?: unknown) =>
    new SyncerError('fatal', `--${mode}-dest "${spec}": ${why}`, { cause });
  if (spec === '') throw fail("can't use an empty path");
  const opened = await invocation.remotes.openPath(spec).catch((thrown) => {
    throw fail(toSyncerError(thrown).message, thrown);
  });
  if (opened.file !== undefined) throw fail('it is a file, not a directory');
  return opened.remote;
}
