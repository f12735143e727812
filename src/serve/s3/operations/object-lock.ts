import { childText, type XmlElement } from '../../../backends/s3-protocol/read-xml.ts';
import { receiveXml } from '../body/payload.ts';
import type { Bucket } from '../store/bucket.ts';
import { mayReplaceRetention, type ObjectLocks } from '../store/object-lock.ts';
import type { Answer } from '../wire/answer.ts';
import { element, isoTime, S3Error, xmlDocument } from '../wire/s3-error.ts';
import { bucketOf, type Call } from './call.ts';
import { changeVersion, findVersion } from './get-object.ts';
import { bypasses, lockedError, mustLock, onOrOff, readRetention } from './requested-locks.ts';

/** Until when a version cannot be deleted. */
export async function getObjectRetention(call: Call): Promise<Answer> {
  const { retention } = await lockedVersion(call);
  if (retention === undefined) throw new S3Error('NoSuchObjectLockConfiguration');
  const inner =
    element('Mode', retention.mode) + element('RetainUntilDate', isoTime(retention.until));
  return { body: xmlDocument('Retention', inner) };
}

/** Sets until when a version cannot be deleted, or ends that. */
export async function putObjectRetention(call: Call): Promise<Answer> {
  const bucket = await lockingBucket(call);
  const root = await receiveRoot(call, 'Retention');
  const mode = childText(root, 'Mode');
  const date = childText(root, 'RetainUntilDate');
  const ends = mode === undefined && date === undefined;
  const after = ends ? undefined : readRetention(call, mode, date, 'MalformedXML');
  await changeVersion(bucket, call, (record) => {
    if (!mayReplaceRetention(record.retention, after, call.now(), bypasses(call.headers))) {
      throw lockedError();
    }
    return { retention: after };
  });
  return {};
}

/** Whether a version has a legal hold. */
export async function getObjectLegalHold(call: Call): Promise<Answer> {
  const { legalHold } = await lockedVersion(call);
  if (legalHold === undefined) throw new S3Error('NoSuchObjectLockConfiguration');
  return { body: xmlDocument('LegalHold', element('Status', legalHold)) };
}

/** Sets or removes the legal hold of a version. */
export async function putObjectLegalHold(call: Call): Promise<Answer> {
  const bucket = await lockingBucket(call);
  const status = childText(await receiveRoot(call, 'LegalHold'), 'Status');
  const legalHold = onOrOff(status, 'MalformedXML');
  await changeVersion(bucket, call, () => ({ legalHold }));
  return {};
}

async function lockedVersion(call: Call): Promise<ObjectLocks> {
  return findVersion(await lockingBucket(call), call.key, call.query.get('versionId'));
}

async function lockingBucket(call: Call): Promise<Bucket> {
  const bucket = await bucketOf(call);
  mustLock(bucket);
  return bucket;
}

/** The XML of a request. Throws `MalformedXML` for another root element. */
export async function receiveRoot(call: Call, root: string): Promise<XmlElement> {
  const xml = await receiveXml(call.payload());
  if (xml.name !== root) throw new S3Error('MalformedXML');
  return xml;
}
