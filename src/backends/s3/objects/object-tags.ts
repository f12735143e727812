import { hasCode } from '../../../core/errors.ts';
import type { Op } from '../../../core/remote.ts';
import type { HttpHeaders } from '../../http/answer-parser.ts';
import { child, childrenNamed, childText } from '../../s3-protocol/read-xml.ts';
import { askDocument } from '../client/ask-document.ts';
import type { Location, S3Store } from '../store.ts';
import { hasS3Code } from '../store-error.ts';

/** Whether the response to HEAD says that the object has tags. */
export function hasTags(headers: HttpHeaders): boolean {
  return Number(headers['x-amz-tagging-count'] ?? 0) > 0;
}

/**
 * The header that gives a new object the tags of another one; none if it has none any more, or the server does not
 * return tags. Rejects if they must not be read: without them, rules for the life and the readers of the object would no
 * longer apply.
 */
export async function tagHeader(
  store: S3Store,
  { bucket, key, version }: Location,
  op: Op,
): Promise<Record<string, string>> {
  const query = [['tagging', '']] as const;
  const doing = 'read the tags of';
  const request = { method: 'GET', bucket, key, version, query, doing } as const;
  try {
    const { root } = await askDocument(store.client, request, 'Tagging', op);
    const tags = childrenNamed(child(root, 'TagSet') ?? root, 'Tag').map((tag) =>
      ['Key', 'Value'].map((name) => encodeURIComponent(childText(tag, name) ?? '')).join('='),
    );
    return tags.length === 0 ? {} : { 'x-amz-tagging': tags.join('&') };
  } catch (thrown) {
    op.signal.throwIfAborted();
    if (hasCode(thrown, 'unsupported') || hasS3Code(thrown, 'NoSuchTagSet')) return {};
    throw thrown;
  }
}
