import { SyncerError } from '../../../core/errors.ts';
import { readXml, type XmlElement } from '../../../s3-protocol/read-xml.ts';

/** The root of a document in a response. Rejects with `bad-answer` if it is not XML. */
export async function readAnswerXml(document: string): Promise<XmlElement> {
  return readXml(document).catch((cause) => {
    const text = 'the response is not XML; is the endpoint an S3 server?';
    throw new SyncerError('bad-answer', text, { cause });
  });
}
