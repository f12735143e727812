import type { IncomingHttpHeaders } from 'node:http';
import {
  child,
  childrenNamed,
  childText,
  type XmlElement,
} from '../../../backends/s3-protocol/read-xml.ts';
import { compareNames } from '../../../core/name-order.ts';
import { receiveXml } from '../body/payload.ts';
import type { Bucket } from '../store/bucket.ts';
import type { LockMode, ObjectLocks, Retention } from '../store/object-record.ts';
import type { Answer } from '../wire/answer.ts';
import { element, isoTime, S3Error, xmlDocument } from '../wire/s3-error.ts';
import { parseQuery } from '../wire/uri-encoding.ts';
import { type Call, header } from './call.ts';
import { changeVersion, findVersion, type ObjectPlace, placeOf } from './get-object.ts';

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
  await changeVersion(place, ({ retention: before }) => {
    // One that has not ended can only be extended.
    const isExtended =
      before !== undefined && after?.mode === before.mode && after.until >= before.until;
    if (isRetained(before, call) && !isExtended) throw lockedError();
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

/** The locks that a request sets for its object. Throws if the bucket has no object lock. */
export function locksToSet(bucket: Bucket, call: Call): ObjectLocks {
  const mode = header(call.headers, 'x-amz-object-lock-mode');
  const date = header(call.headers, 'x-amz-object-lock-retain-until-date');
  const hold = header(call.headers, 'x-amz-object-lock-legal-hold');
  const hasRetention = mode !== undefined || date !== undefined;
  if (hasRetention || hold !== undefined) mustLock(bucket);
  return {
    ...(hasRetention && { retention: readRetention(call, mode, date, 'InvalidArgument') }),
    ...(hold !== undefined && { legalHold: oneOf(HOLDS, hold, 'InvalidArgument') }),
  };
}

/** Whether a retention forbids a request to end it, or to delete its version. */
export function isRetained(retention: Retention | undefined, { headers, now }: Call): boolean {
  if (retention === undefined || retention.until <= now()) return false;
  const bypasses = header(headers, 'x-amz-bypass-governance-retention')?.toLowerCase() === 'true';
  return !bypasses || retention.mode !== 'GOVERNANCE';
}

/** The error for an operation that a lock forbids. */
export function lockedError(): S3Error {
  return new S3Error('AccessDenied', 'Access Denied because object protected by object lock.');
}

/** Throws `InvalidRequest` if a bucket has no object lock. */
function mustLock(bucket: Bucket): void {
  if (bucket.settings.objectLock !== undefined) return;
  throw new S3Error('InvalidRequest', 'Bucket is missing Object Lock Configuration');
}

/** The error code for an invalid lock. */
type BadLock = 'MalformedXML' | 'InvalidArgument';

/** Reads a retention from a request. */
function readRetention(
  call: Call,
  mode: string | undefined,
  date: string | undefined,
  code: BadLock,
): Retention {
  const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;
  const until = date !== undefined && form.test(date) ? Date.parse(date) : Number.NaN;
  if (Number.isNaN(until)) throw new S3Error(code);
  if (until <= call.now()) {
    throw new S3Error('InvalidArgument', 'The retain until date must be in the future!');
  }
  return { mode: oneOf(MODES, mode, code), until };
}

/** The modes of a retention. */
export const MODES = ['GOVERNANCE', 'COMPLIANCE'] as const satisfies LockMode[];
/** The states of a legal hold. */
const HOLDS = ['ON', 'OFF'] as const;

/** Reads one of these words. */
export function oneOf<T>(words: readonly T[], text: string | undefined, code: BadLock): T {
  const found = words.find((word) => word === text);
  if (found === undefined) throw new S3Error(code);
  return found;
}

type Tags = Readonly<Record<string, string>>;

/** The tags of a new object, from `x-amz-tagging` (`a=1&b=2`). */
export function tagsOfHeader(headers: IncomingHttpHeaders): Tags | undefined {
  const text = header(headers, 'x-amz-tagging');
  return text === undefined ? undefined : checkTags(parseQuery(text));
}

function checkTags(pairs: readonly (readonly [name: string, value: string])[]): Tags {
  if (pairs.length > 10) throw new S3Error('InvalidTag', 'Object tags cannot be greater than 10');
  for (const [key, value] of pairs) {
    if (key === '' || [...key].length > 128 || [...value].length > 256) {
      throw new S3Error('InvalidTag');
    }
  }
  const tags = Object.fromEntries(pairs);
  if (Object.keys(tags).length < pairs.length) {
    throw new S3Error('InvalidTag', 'Cannot provide multiple Tags with the same key');
  }
  return tags;
}

/** The tags of an object. */
export async function getObjectTagging(call: Call): Promise<Answer> {
  const { tags = {} } = await findVersion(await placeOf(call));
  const set = Object.entries(tags)
    .sort(([a], [b]) => compareNames(a, b))
    .map(([key, value]) => `<Tag>${element('Key', key)}${element('Value', value)}</Tag>`);
  return { body: xmlDocument('Tagging', `<TagSet>${set.join('')}</TagSet>`) };
}

/** Replaces the tags of an object. */
export async function putObjectTagging(call: Call): Promise<Answer> {
  const set = child(await receiveXml(call.payload()), 'TagSet');
  if (set === undefined) throw new S3Error('MalformedXML');
  const pairs = childrenNamed(set, 'Tag').map(
    (tag) => [childText(tag, 'Key') ?? '', childText(tag, 'Value') ?? ''] as const,
  );
  return changeTags(call, checkTags(pairs), 200);
}

/** Deletes all tags of an object. */
export const deleteObjectTagging = async (call: Call): Promise<Answer> => changeTags(call, {}, 204);

async function changeTags(call: Call, tags: Tags, status: number): Promise<Answer> {
  await changeVersion(await placeOf(call), () => ({ tags }));
  return { status };
}
