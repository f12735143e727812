import { child, childText, type XmlElement } from '../../../s3-protocol/read-xml.ts';
import type { DefaultRetention } from '../store/object-lock.ts';
import type { Answer } from '../wire/answer.ts';
import { S3Error } from '../wire/s3-error.ts';
import { element, xmlDocument } from '../wire/xml-text.ts';
import { bucketOf, type Call } from './call.ts';
import { receiveRoot } from './object-lock.ts';
import { lockMode } from './requested-locks.ts';

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
