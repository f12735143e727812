import { SyncerError } from '../../../core/errors.ts';
import type { Entry } from '../../../core/remote.ts';
import { encodeUri } from '../../s3-protocol/uri-encoding.ts';
import { addressOf } from '../endpoint.ts';
import { storeTitle } from '../s3-place.ts';
import type { Location, S3Store } from '../store.ts';

/** The longest validity of a presigned URL, in milliseconds: a week. */
const LONGEST_MS = 604_800_000;

/**
 * A URL with which anyone can read the object, for `expireMs` milliseconds, at most a week. Rejects with
 * `file-not-found` for a prefix, with `usage` if no time is left.
 */
export async function presignObject(
  store: S3Store,
  entry: Entry,
  expireMs = Number.POSITIVE_INFINITY,
): Promise<string> {
  const { client, root } = store;
  const { bucket, key, version }: Location =
    entry.kind === 'file' ? store.locateFile(entry) : store.locate(entry.path);
  if (entry.kind === 'dir') {
    const what = `${bucket}${key === '' ? '' : `/${key}`}`;
    const code = key === '' ? 'not-a-file' : 'file-not-found';
    throw new SyncerError(code, `no object ${what}: S3 links point to single objects`);
  }
  const { endpoint, region } = client.regions.of(bucket);
  const { secure, host, path, hostBucket } = addressOf(endpoint, bucket, key);
  const url = `${secure ? 'https' : 'http'}://${host}${path}`;
  const now = client.clock.now();
  const { signer, credentials: keys } = client.signing(bucket, now);
  const credentials = await keys;
  if (credentials === undefined)
    return version === undefined ? url : `${url}?versionId=${encodeUri(version)}`;
  const query = version === undefined ? [] : [['versionId', version] as const];
  const request = { method: 'GET', path, query, headers: { host }, hostBucket };
  // A link of a directory bucket ends with the session that signed it.
  const isOfSession = store.settings.directoryBucket && credentials.expiresMs !== undefined;
  const most = isOfSession ? (credentials.expiresMs ?? 0) - now : LONGEST_MS;
  if (expireMs <= 0) {
    const text = 'a link can only expire in the future: --expire must be above 0';
    throw new SyncerError('usage', text);
  }
  if (expireMs > most) {
    // As in rclone.
    const event = { code: 'link-shortened', fields: { from: expireMs, to: most } } as const;
    client.context.emit({ type: 'log', level: 'notice', path: storeTitle(root), ...event });
  }
  const seconds = Math.ceil(Math.min(expireMs, most) / 1000);
  return `${url}?${signer.presignQuery(request, credentials, region, seconds, now)}`;
}
