import type { FileCall } from '../files/call.ts';
import { HttpError } from '../http-error.ts';
import { parseXml, XML_LIMIT, type XmlNode } from './xml-tree.ts';

/** The body of a request as XML; `undefined` if it is empty. Rejects with `HttpError` 400 or 413. */
export async function readXmlBody(call: FileCall): Promise<XmlNode | undefined> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of call.body() as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > XML_LIMIT) throw new HttpError(413, 'Content Too Large');
    pieces.push(piece);
  }
  const bytes = Buffer.concat(pieces);
  return bytes.length === 0 ? undefined : parseXml(bytes.toString('utf8').replace(/^\ufeff/, ''));
}
