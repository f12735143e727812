import { Bucket } from './bucket.ts';
import { adoptReplaced } from './find-object.ts';
import type { OpenFolders } from './open-folders.ts';
import { adoptHistory } from './versions.ts';

/** Opens a folder as a bucket: reads it and its log, and sets right what the end of a server left undone. */
export async function openBucket(
  name: string,
  path: string,
  readOnly: boolean,
  folders: OpenFolders,
): Promise<Bucket> {
  const bucket = new Bucket(name, path, readOnly, folders);
  await bucket.index.load();
  const { replaced, intact } = bucket.loaded;
  if (replaced !== undefined) adoptReplaced(bucket, replaced);
  adoptHistory(bucket, intact);
  bucket.tidy();
  return bucket;
}
