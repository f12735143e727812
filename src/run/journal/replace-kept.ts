import type { ReplacedOnly } from '../../core/change-details.ts';
import type { ContentStamp } from '../../core/entry-details.ts';
import { hasCode } from '../../core/errors.ts';
import type { FileEntry, Op, Remote } from '../../core/remote.ts';
import { isStillListed } from '../../core/same-content.ts';
import type { Trash } from './trash.ts';

/**
 * Keeps a file that is about to be replaced, at the path `keep` of the trash, and does the work with what may be
 * replaced then (`ChangeDetails.replacesOnly`); without it for anything, because it is not kept here. If the work fails
 * and the file is certainly still in place, the trash does not keep it.
 */
export async function replaceKept<T>(
  remote: Remote,
  trash: Trash,
  file: FileEntry | 'nothing' | 'unknown',
  keep: string | undefined,
  op: Op,
  work: (op: Op) => Promise<T>,
): Promise<T> {
  const over = (replacesOnly: ReplacedOnly<FileEntry>) => ({
    ...op,
    change: { ...op.change, replacesOnly },
  });
  if (file === 'unknown') return work(op);
  if (file === 'nothing')
    return work((await trash.serverKeeps('replaced', op)) ? op : over({ file }));
  if (keep === undefined) return work(op);
  const only = { file, stamp: remote.can.stamp?.(file) };
  await trash.keepCopy(file, keep, op);
  try {
    const result = await work(over(only));
    if (result === undefined) await trash.dropCopy(keep, op);
    return result;
  } catch (thrown) {
    if (
      (remote.traits.onDisk || hasCode(thrown, ...REFUSED)) &&
      (await isInPlace(remote, only, op))
    )
      await trash.dropCopy(keep, op);
    throw thrown;
  }
}

/** After these errors no request is under way that could still replace the file. */
const REFUSED = [
  ...(['unreadable', 'source-changed', 'vanished', 'file-not-found', 'not-a-file'] as const),
  ...([
    'access-denied',
    'archived',
    'read-only',
    'no-space',
    'quota-exceeded',
    'unsupported',
  ] as const),
  ...(['name-invalid', 'name-too-long', 'too-large'] as const),
];

async function isInPlace(
  remote: Remote,
  { file, stamp }: { readonly file: FileEntry; readonly stamp: ContentStamp | undefined },
  op: Op,
): Promise<boolean> {
  const found = await remote.stat(file.path, op).catch(() => undefined);
  if (found?.kind !== 'file' || !isStillListed(file, found)) return false;
  return remote.can.stamp?.(found)?.tag === stamp?.tag;
}
