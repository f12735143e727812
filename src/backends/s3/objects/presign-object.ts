import type { FileEntry } from '../../../core/remote.ts';
import { addressOf } from '../endpoint.ts';
import type { S3Store } from '../store.ts';

/** No presigned URL is good for longer, in seconds: a week. */
const LONGEST = 604_800;

/** A URL with which anybody can read the file, for `expireMs` milliseconds but at most a week. */
export async function presignObject(
  store: S3Store,
  file: FileEntry,
  expireMs: number | undefined,
): Promise<string> {
  const { client } = store;
  const { bucket, key } = store.locate(file.path);
  const { endpoint, region } = client.regions.of(bucket);
  const { secure, host, path } = addressOf(endpoint, bucket, key);
  const url = `${secure ? 'https' : 'http'}://${host}${path}`;
  const now = client.context.clock.now();
  const credentials = await client.credentials.get(now);
  if (credentials === undefined) return url;
  const wanted = expireMs === undefined ? LONGEST : Math.ceil(expireMs / 1000);
  const seconds = Math.min(LONGEST, Math.max(1, wanted));
  const request = { method: 'GET', path, query: [], headers: { host } };
  return `${url}?${client.signer.presignQuery(request, credentials, region, seconds, now)}`;
}
