import { readXml, type XmlElement } from '../../../backends/s3-protocol/read-xml.ts';
import { S3Error } from '../wire/s3-error.ts';
import type { Payload } from './payload.ts';
import { receiveBytes } from './receive.ts';

/** Longest XML document from a client, in bytes: 1,000 keys to delete fit, however escaped. */
export const MAX_DOCUMENT = 8 * 1024 * 1024;

/** The document of a request, verified and read. Rejects with `MalformedXML`. */
export async function receiveXml(payload: Payload): Promise<XmlElement> {
  const { data } = await receiveBytes(payload, MAX_DOCUMENT);
  return readRequestXml(documentText(data));
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The text of a document. Throws `MalformedXML` if it is not UTF-8. */
export function documentText(data: Uint8Array): string {
  try {
    return decoder.decode(data);
  } catch {
    return refuse();
  }
}

/** The root of a document. Rejects with `MalformedXML`: a key in a deletion is read exactly, or not at all. */
export async function readRequestXml(text: string): Promise<XmlElement> {
  return readXml(text, refuse).catch(refuse);
}

function refuse(): never {
  throw new S3Error('MalformedXML');
}
