import { SyncerError } from '../../../core/errors.ts';
import type { Op } from '../../../core/remote.ts';
import { bareEtag } from '../../s3-protocol/etag.ts';
import { childText } from '../../s3-protocol/read-xml.ts';
import type { Location, S3Store } from '../store.ts';
import { hasS3Code } from '../store-error.ts';
import { askListing } from './ask-listing.ts';

/** A part of an unfinished upload, as the server has it. */
export interface StoredPart {
  readonly number: number;
  /** In bytes. */
  readonly size: number;
  /** `''` if the server does not say it. */
  readonly etag: string;
}

/**
 * All parts of an upload, by number; `undefined` if it no longer exists. Rejects with `bad-answer` if the listing is
 * invalid or incomplete.
 */
export async function listParts(
  store: S3Store,
  { bucket, key }: Location,
  id: string,
  op: Op,
): Promise<StoredPart[] | undefined> {
  const wrong = (why: string) =>
    new SyncerError('bad-answer', `invalid listing of the parts of ${bucket}/${key}: ${why}`);
  const parts: StoredPart[] = [];
  for (;;) {
    const last = parts.at(-1)?.number ?? 0;
    const query: [string, string][] = [['uploadId', id]];
    if (last > 0) query.push(['part-number-marker', String(last)]);
    const request = { bucket, key, query, doing: 'list the parts of' };
    const page = await askListing(store, request, 'ListPartsResult', op).catch((error) => {
      if (hasS3Code(error, 'NoSuchUpload')) return undefined;
      throw error;
    });
    if (page === undefined) return undefined;
    if (childText(page.root, 'UploadId') !== id) throw wrong('it is of another upload');
    for (const part of page.all('Part')) {
      const [number, size] = ['PartNumber', 'Size'].map((name) => wholeNumber(part, name));
      if (number === undefined || size === undefined || number <= (parts.at(-1)?.number ?? 0)) {
        throw wrong(`part ${childText(part, 'PartNumber')}`);
      }
      parts.push({ number, size, etag: bareEtag(childText(part, 'ETag') ?? '') });
    }
    if (!page.hasMore(wrong)) return parts;
    if (last === (parts.at(-1)?.number ?? 0)) throw wrong('the next page does not follow the last');
  }
}

function wholeNumber(element: Parameters<typeof childText>[0], name: string): number | undefined {
  const text = childText(element, name)?.trim() ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
