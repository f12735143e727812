import { SyncerError } from '../../../core/errors.ts';
import type { Op } from '../../../core/remote.ts';
import { childText, type XmlElement } from '../../s3-protocol/read-xml.ts';
import { type Location, prefixOf, type S3Store } from '../store.ts';
import { askListing } from './ask-listing.ts';

/** A header `Date` has whole seconds (RFC 9110, 5.6.7); the time of an upload has fractions. */
const DATE_STEP_MS = 1000;

/** An unfinished multipart upload. */
export interface ListedUpload {
  readonly key: string;
  readonly id: string;
  /** `NaN` if the server does not say it. */
  readonly begunMs: number;
  readonly storageClass: string;
  readonly initiator: UploadUser;
  readonly owner: UploadUser;
}

/** Who started an upload, or will own its object. */
interface UploadUser {
  readonly DisplayName: string | null;
  readonly ID: string | null;
}

interface UploadPage {
  readonly uploads: readonly ListedUpload[];
  /** By the server's clock. */
  readonly nowMs: number;
}

/** The unfinished uploads below a directory, or with this prefix. Rejects with `bad-answer` if the listing is invalid or incomplete. */
export async function* uploadPages(
  store: S3Store,
  place: Location,
  op: Op,
  prefix = prefixOf(place),
): AsyncGenerator<UploadPage> {
  const seen = new Set<string>();
  let markers: readonly [string, string][] = [];
  for (;;) {
    const { next, ...read } = await readPage(store, place, listable(store, prefix), markers, op);
    const page = { ...read, uploads: read.uploads.filter(({ key }) => key.startsWith(prefix)) };
    for (const { key, id } of page.uploads) {
      if (isNew(seen, [key, id])) continue;
      throw notListed(place, `"${key}" is listed twice`);
    }
    yield page;
    if (next === undefined) return;
    if (!isNew(seen, next)) throw notListed(place, 'the next page does not follow the last');
    markers = next;
  }
}

/** Directory buckets list only prefixes that end with a slash. */
function listable({ settings }: S3Store, prefix: string): string {
  return settings.directoryBucket ? prefix.slice(0, prefix.lastIndexOf('/') + 1) : prefix;
}

function isNew(seen: Set<string>, what: unknown): boolean {
  const before = seen.size;
  return seen.add(JSON.stringify(what)).size > before;
}

async function readPage(
  store: S3Store,
  place: Location,
  prefix: string,
  markers: readonly [string, string][],
  op: Op,
) {
  const { bucket } = place;
  const query: [string, string][] = [
    ['uploads', ''],
    ['prefix', prefix],
    ['encoding-type', 'url'],
    ...markers,
  ];
  const request = { bucket, query, doing: 'list uploads of' };
  const page = await askListing(store, request, 'ListMultipartUploadsResult', op);
  const { root, headers, decode } = page;
  const uploads = page.all('Upload').map((upload) => ({
    key: decode(childText(upload, 'Key')),
    id: childText(upload, 'UploadId') ?? '',
    begunMs: Date.parse(childText(upload, 'Initiated') ?? ''),
    storageClass: childText(upload, 'StorageClass') ?? '',
    initiator: userOf(upload, 'Initiator'),
    owner: userOf(upload, 'Owner'),
  }));
  for (const { key, id } of uploads) {
    if (id === '' || key === '' || !key.startsWith(prefix)) {
      throw notListed(place, `"${key}" is not one of its uploads`);
    }
  }
  const told = Date.parse(headers['date'] ?? '');
  const nowMs = Number.isNaN(told) ? store.client.context.clock.now() : told + DATE_STEP_MS;
  if (!page.hasMore((why) => notListed(place, why))) return { uploads, nowMs };
  const next: [string, string][] = [
    ['key-marker', decode(childText(root, 'NextKeyMarker'))],
    ['upload-id-marker', childText(root, 'NextUploadIdMarker') ?? ''],
  ];
  return { uploads, nowMs, next };
}

function userOf({ children }: XmlElement, name: string): UploadUser {
  const user = children.find((child) => child.name === name);
  const text = (field: string) => (user && childText(user, field)) ?? null;
  return { DisplayName: text('DisplayName'), ID: text('ID') };
}

function notListed({ bucket }: Location, why: string): SyncerError {
  const text = `invalid listing of the uploads in bucket ${bucket}: ${why}`;
  return new SyncerError('bad-answer', text);
}
