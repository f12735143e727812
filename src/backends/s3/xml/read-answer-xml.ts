import { SyncerError } from '../../../core/errors.ts';
import { childText, readXml, type XmlElement } from '../../s3-protocol/read-xml.ts';
import { buildKey, buildPage, type ListedPage, scanListPage } from './list-page.ts';

/** The root of a document in a response. Rejects with `bad-answer` if it is not XML. */
export async function readAnswerXml(document: string): Promise<XmlElement> {
  return readXml(document).catch((cause) => {
    const text = 'the response is not XML; is the endpoint an S3 server?';
    throw new SyncerError('bad-answer', text, { cause });
  });
}

/**
 * Reads the response to a list request. Rejects with `bad-answer` for anything else.
 *
 * @param sizesOnly keys may lack everything but their sizes
 */
export async function readListPage(body: Buffer, sizesOnly = false): Promise<ListedPage> {
  return scanListPage(body, sizesOnly) ?? pageFromXml(await readAnswerXml(body.toString()));
}

/** The page from a fully parsed document: slow, and right for every document. */
export function pageFromXml(root: XmlElement): ListedPage {
  if (root.name !== 'ListBucketResult') {
    throw new SyncerError('bad-answer', `the server returned <${root.name}> instead of a listing`);
  }
  const fields = new Map<string, string>();
  const keys = [];
  const prefixes = [];
  for (const child of root.children) {
    if (child.name === 'Contents') {
      const text = (name: string) => childText(child, name) ?? '';
      keys.push(
        buildKey(
          text('Key'),
          text('Size'),
          text('ETag'),
          text('LastModified'),
          text('StorageClass'),
        ),
      );
    } else if (child.name === 'CommonPrefixes') {
      for (const prefix of child.children) if (prefix.name === 'Prefix') prefixes.push(prefix.text);
    } else fields.set(child.name, child.text);
  }
  return buildPage({ keys, prefixes, fields });
}
