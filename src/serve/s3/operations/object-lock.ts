import { child, childText, type XmlElement } from '../../../s3-protocol/read-xml.ts';
import { receiveXml } from '../body/receive-xml.ts';
import type { Bucket } from '../store/bucket.ts';
import {
  type DefaultRetention,
  mayReplaceRetention,
  type ObjectLocks,
} from '../store/object-lock.ts';
import type { Answer } from '../wire/answer.ts';
import { S3Error } from '../wire/s3-error.ts';
import { element, isoTime, xmlDocument } from '../wire/xml-text.ts';
import { bucketOf, type Call } from './call.ts';
import { changeVersion, findVersion } from './get-object.ts';
import {
  bypasses,
  lockedError,
  lockMode,
  mustLock,
  onOrOff,
  readRetention,
} from './requested-locks.ts';

/** Whether a bucket locks objects, and how long new ones are retained. */
export async function getObjectLockConfiguration(call: Call): Promise<Answer> {
  const { objectLock } = (await bucketOf(call)).settings;
  if (objectLock === undefined) throw new S3Error('ObjectLockConfigurationNotFoundError');
  const { mode, days, years } = objectLock.rule ?? {};
  const period = days === undefined ? element('Years', years ?? 0) : element('Days', days);
  const rule = mode
    ? `<Rule><DefaultRetention>${element('Mode', mode)}${period}</DefaultRetention></Rule>`
    : '';
  const inner = element('ObjectLockEnabled', 'Enabled') + rule;
  return { body: xmlDocument('ObjectLockConfiguration', inner) };
}

/** Enables object lock for a bucket, permanently, and sets how long new objects are retained. */
export async function putObjectLockConfiguration(call: Call): Promise<Answer> {
  const bucket = await bucketOf(call);
  const root = await receiveRoot(call, 'ObjectLockConfiguration');
  if (childText(root, 'ObjectLockEnabled') !== 'Enabled') throw new S3Error('MalformedXML');
  const rule = child(root, 'Rule');
  const objectLock = rule === undefined ? {} : { rule: defaultRetention(rule) };
  if (bucket.settings.versioning !== 'Enabled') {
    throw new S3Error('InvalidBucketState', {
      message: "Versioning must be 'Enabled' on the bucket to apply an object lock configuration",
    });
  }
  bucket.changeSettings({ ...bucket.settings, objectLock });
  return {};
}

function defaultRetention(rule: XmlElement): DefaultRetention {
  const inside = child(rule, 'DefaultRetention');
  const days = inside && childText(inside, 'Days');
  const years = inside && childText(inside, 'Years');
  const text = days ?? years;
  if (!inside || text === undefined || (days !== undefined && years !== undefined)) {
    throw new S3Error('MalformedXML');
  }
  const mode = lockMode(childText(inside, 'Mode'), 'MalformedXML');
  const period = Number(text);
  const max = days === undefined ? 100 : 36_500;
  if (!Number.isInteger(period) || period < 1 || period > max) {
    throw new S3Error('InvalidRetentionPeriod');
  }
  return days === undefined ? { mode, years: period } : { mode, days: period };
}

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

async function receiveRoot(call: Call, root: string): Promise<XmlElement> {
  const xml = await receiveXml(call.payload());
  if (xml.name !== root) throw new S3Error('MalformedXML');
  return xml;
}
