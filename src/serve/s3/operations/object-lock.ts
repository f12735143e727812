import { childText, type XmlElement } from '../../../backends/s3-protocol/read-xml.ts';
import { receiveXml } from '../body/payload.ts';
import { mayReplaceRetention } from '../store/object-lock.ts';
import type { Answer } from '../wire/answer.ts';
import { element, isoTime, S3Error, xmlDocument } from '../wire/s3-error.ts';
import type { Call } from './call.ts';
import { changeVersion, findVersion, type ObjectPlace, placeOf } from './get-object.ts';
import { bypasses, HOLDS, lockedError, mustLock, oneOf, readRetention } from './requested-locks.ts';

/** Until when a version cannot be deleted. */
export async function getObjectRetention(call: Call): Promise<Answer> {
  const { retention } = await findVersion(await lockingPlace(call));
  if (retention === undefined) throw new S3Error('NoSuchObjectLockConfiguration');
  const inner =
    element('Mode', retention.mode) + element('RetainUntilDate', isoTime(retention.until));
  return { body: xmlDocument('Retention', inner) };
}

/** Sets until when a version cannot be deleted, or ends that. */
export async function putObjectRetention(call: Call): Promise<Answer> {
  const place = await lockingPlace(call);
  const root = await receiveRoot(call, 'Retention');
  const mode = childText(root, 'Mode');
  const date = childText(root, 'RetainUntilDate');
  const ends = mode === undefined && date === undefined;
  const after = ends ? undefined : readRetention(call, mode, date, 'MalformedXML');
  await changeVersion(place, (record) => {
    if (!mayReplaceRetention(record.retention, after, call.now(), bypasses(call.headers))) {
      throw lockedError();
    }
    return { retention: after };
  });
  return {};
}

/** Whether a version has a legal hold. */
export async function getObjectLegalHold(call: Call): Promise<Answer> {
  const { legalHold } = await findVersion(await lockingPlace(call));
  if (legalHold === undefined) throw new S3Error('NoSuchObjectLockConfiguration');
  return { body: xmlDocument('LegalHold', element('Status', legalHold)) };
}

/** Sets or removes the legal hold of a version. */
export async function putObjectLegalHold(call: Call): Promise<Answer> {
  const place = await lockingPlace(call);
  const status = childText(await receiveRoot(call, 'LegalHold'), 'Status');
  const legalHold = oneOf(HOLDS, status, 'MalformedXML');
  await changeVersion(place, () => ({ legalHold }));
  return {};
}

/** The object of a call in a bucket with object lock. */
async function lockingPlace(call: Call): Promise<ObjectPlace> {
  const place = await placeOf(call);
  mustLock(place.bucket);
  return place;
}

/** The XML of a request. Throws `MalformedXML` for another root element. */
export async function receiveRoot(call: Call, root: string): Promise<XmlElement> {
  const xml = await receiveXml(call.payload());
  if (xml.name !== root) throw new S3Error('MalformedXML');
  return xml;
}
