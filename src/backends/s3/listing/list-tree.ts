import { compareNames } from '../../../core/name-order.ts';
import type { Op, Page } from '../../../core/remote.ts';
import { joinPath } from '../../../core/remote-path.ts';
import { listBuckets } from '../buckets/list-buckets.ts';
import type { S3Store } from '../store.ts';
import { type ListState, listEntries, toPage } from './list-entries.ts';

/** The state of a listing of all buckets. */
interface StoreState {
  readonly bucket: string;
  readonly state?: ListState;
}

/**
 * A page of all files below a directory; of all buckets one after another, if the directory is the root of the
 * account.
 */
export async function listTree(
  store: S3Store,
  dir: string,
  cursor: string | undefined,
  op: Op,
): Promise<Page> {
  const location = store.locate(dir);
  if (location.bucket === '') return listStore(store, cursor, op);
  const state = cursor === undefined ? undefined : (JSON.parse(cursor) as ListState);
  return toPage(await listEntries(store, { location, dir, state }, true, op));
}

async function listStore(store: S3Store, cursor: string | undefined, op: Op): Promise<Page> {
  const at = cursor === undefined ? undefined : (JSON.parse(cursor) as StoreState);
  const bucket = at?.bucket ?? (await bucketAfter(store, undefined, op));
  if (bucket === undefined) return { entries: [] };
  const { entries, next } = await listEntries(
    store,
    {
      location: store.locate(bucket),
      dir: joinPath('', bucket),
      state: at?.state,
      wasListed: true,
    },
    true,
    op,
  );
  if (next !== undefined) return { entries, cursor: JSON.stringify({ bucket, state: next }) };
  const following = await bucketAfter(store, bucket, op);
  return following === undefined
    ? { entries }
    : { entries, cursor: JSON.stringify({ bucket: following }) };
}

/** The bucket of the next files: by whole path `a-b/x` comes before `a/x`. */
async function bucketAfter(
  store: S3Store,
  bucket: string | undefined,
  op: Op,
): Promise<string | undefined> {
  const names = (await listBuckets(store, op)).map(({ path }) => path);
  const inOrder = names.sort((a, b) => compareNames(`${a}/`, `${b}/`));
  return inOrder.find((name) => bucket === undefined || compareNames(`${name}/`, `${bucket}/`) > 0);
}
