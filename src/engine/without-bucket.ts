import { SyncerError } from '../core/errors.ts';
import type { Remote } from '../core/remote.ts';
import { counted } from '../core/shown-text.ts';

/** Whether the directories at the root are buckets, so that there can be no files. */
export const hasBuckets = ({ traits, root }: Remote): boolean => traits.bucketBased && root === '';

/** Whether it is an object store that lists all names below a bucket or a prefix in order. */
export function isBucket(remote: Remote): boolean {
  const { can, traits } = remote;
  const isInOrder = can.listTreePage !== undefined && traits.sortedPages;
  return isInOrder && !traits.emptyDirs && !hasBuckets(remote);
}

/**
 * Called before buckets lose all their files, or are deleted themselves; with an error, they must not.
 *
 * @param isWhole the buckets themselves are deleted
 */
export type BucketCheck = (
  buckets: readonly string[],
  isWhole: boolean,
) => Promise<SyncerError | undefined>;

/**
 * Why these files of a root with buckets must not be deleted: some of the buckets would lose all of them. `undefined` if
 * they may.
 *
 * @param kept buckets that keep files
 */
export async function refuseEmptied(
  { checkBuckets }: { readonly checkBuckets?: BucketCheck | undefined },
  remote: Remote,
  files: readonly { readonly path: string }[],
  kept: ReadonlySet<string>,
): Promise<SyncerError | undefined> {
  if (checkBuckets === undefined || !hasBuckets(remote)) return undefined;
  const buckets = new Set(files.map(({ path }) => bucketOf(path)));
  const emptied = [...buckets].filter((bucket) => bucket !== '' && !kept.has(bucket));
  return emptied.length === 0 ? undefined : checkBuckets(emptied, false);
}

/** The first segment of the path of a file; `''` of one at the top. */
export const bucketOf = (path: string): string => path.slice(0, Math.max(0, path.indexOf('/')));

/** The error of files at the top of the source, which have no bucket there. */
export function noBucket({ name }: Remote, files: number): SyncerError {
  const remote = name === '' || name.startsWith(':') ? 'remote' : name;
  const text = `${counted(files, 'file')} at the top of the source not transferred: ${remote}: holds buckets, not files`;
  return new SyncerError('name-invalid', text, {
    advice: `name a bucket, such as ${remote}:bucket`,
  });
}
