import type { SyncerError } from '../../../core/errors.ts';
import type { Op } from '../../../core/remote.ts';
import { childText, type XmlElement } from '../../s3-protocol/read-xml.ts';
import { askDocument, type DocumentAnswer } from '../client/ask-document.ts';
import type { S3Request } from '../client/request.ts';
import type { S3Store } from '../store.ts';
import { decodeKey } from '../xml/decode-key.ts';

/** A page of a listing that is read as a document. */
interface ListingPage extends DocumentAnswer {
  /** Its elements of a name. */
  readonly all: (name: string) => readonly XmlElement[];
  /** A key as it is; `''` if there is none. */
  readonly decode: (text?: string) => string;
  /** Whether another page follows. Throws if it does not say. */
  readonly hasMore: (wrong: (why: string) => SyncerError) => boolean;
}

/** Requests a page of a listing. Rejects as `askDocument`. */
export async function askListing(
  store: S3Store,
  request: Omit<S3Request, 'method'>,
  name: string,
  op: Op,
): Promise<ListingPage> {
  const answer = await askDocument(store.client, { method: 'GET', ...request }, name, op);
  const { root } = answer;
  const isEncoded = childText(root, 'EncodingType') === 'url';
  return {
    ...answer,
    all: (name) => root.children.filter((child) => child.name === name),
    decode: (text = '') => (isEncoded ? decodeKey(text) : text),
    hasMore(wrong) {
      const truncated = childText(root, 'IsTruncated')?.trim();
      if (truncated === 'true' || truncated === 'false') return truncated === 'true';
      throw wrong('it does not say whether it is complete');
    },
  };
}
