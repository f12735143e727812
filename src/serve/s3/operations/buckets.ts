import type { IncomingHttpHeaders } from 'node:http';
import {
  child,
  childrenNamed,
  childText,
  type XmlElement,
} from '../../../backends/s3-protocol/read-xml.ts';
import {
  documentText,
  MAX_DOCUMENT,
  readRequestXml,
  receiveBytes,
  receiveXml,
} from '../body/payload.ts';
import type { BucketStore } from '../store/bucket-store.ts';
import type { DefaultRetention } from '../store/object-record.ts';
import type { Answer } from '../wire/answer.ts';
import {
  element,
  isoTime,
  notImplemented,
  OWNER,
  S3Error,
  type S3ErrorCode,
  xmlDocument,
} from '../wire/s3-error.ts';
import { bucketOf, type Call, countParameter, header } from './call.ts';
import { findVersion, placeOf } from './get-object.ts';
import { MODES, oneOf, receiveRoot } from './object-attributes.ts';

/** Whether the bucket keeps old versions; empty if it never did. */
export async function getBucketVersioning(call: Call): Promise<Answer> {
  const { versioning } = (await bucketOf(call)).settings;
  const inner = versioning === undefined ? '' : element('Status', versioning);
  return { body: xmlDocument('VersioningConfiguration', inner) };
}

/** Enables or suspends versioning. */
export async function putBucketVersioning(call: Call): Promise<Answer> {
  const bucket = await bucketOf(call);
  const root = await receiveXml(call.payload());
  const status = childText(root, 'Status');
  if (status !== 'Enabled' && status !== 'Suspended') throw new S3Error('MalformedXML');
  if (childText(root, 'MfaDelete') === 'Enabled') throw notImplemented('MFA delete');
  if (status === 'Suspended' && bucket.settings.objectLock !== undefined) {
    const text =
      'An Object Lock configuration is present on this bucket, so the versioning state cannot be changed.';
    throw new S3Error('InvalidBucketState', text);
  }
  bucket.changeSettings({ ...bucket.settings, versioning: status });
  return {};
}

/** The errors for missing documents of a bucket. */
const MISSING = {
  cors: 'NoSuchCORSConfiguration',
  encryption: 'ServerSideEncryptionConfigurationNotFoundError',
  lifecycle: 'NoSuchLifecycleConfiguration',
  ownershipControls: 'OwnershipControlsNotFoundError',
  policy: 'NoSuchBucketPolicy',
  publicAccessBlock: 'NoSuchPublicAccessBlockConfiguration',
  replication: 'ReplicationConfigurationNotFoundError',
  tagging: 'NoSuchTagSet',
  website: 'NoSuchWebsiteConfiguration',
} as const satisfies Record<string, S3ErrorCode>;

function documentName(call: Call): keyof typeof MISSING {
  const name = [...call.query.keys()].find((each) => Object.hasOwn(MISSING, each));
  if (name === undefined) throw new S3Error('InvalidRequest');
  return name as keyof typeof MISSING;
}

/** Returns a document about the bucket. */
export async function getBucketDocument(call: Call): Promise<Answer> {
  const bucket = await bucketOf(call);
  const name = documentName(call);
  const text = bucket.settings.documents?.[name];
  if (text === undefined) throw new S3Error(MISSING[name]);
  return { body: text };
}

/** Stores a document about the bucket: tags, or the CORS configuration. */
export async function putBucketDocument(call: Call): Promise<Answer> {
  const bucket = await bucketOf(call);
  const name = documentName(call);
  const { data } = await receiveBytes(call.payload(), MAX_DOCUMENT);
  const text = documentText(data);
  if (name === 'cors') await readCorsRules(text);
  const documents = { ...bucket.settings.documents, [name]: text };
  bucket.changeSettings({ ...bucket.settings, documents });
  return {};
}

/** Deletes a document about the bucket. */
export async function deleteBucketDocument(call: Call): Promise<Answer> {
  const bucket = await bucketOf(call);
  const { [documentName(call)]: _, ...documents } = bucket.settings.documents ?? {};
  bucket.changeSettings({ ...bucket.settings, documents });
  return { status: 204 };
}

/** Settings with fixed defaults: no logging, no notifications, the owner pays, no acceleration. */
export async function getBucketDefault(call: Call): Promise<Answer> {
  await bucketOf(call);
  if (call.query.has('requestPayment')) {
    const inner = element('Payer', 'BucketOwner');
    return { body: xmlDocument('RequestPaymentConfiguration', inner) };
  }
  if (call.query.has('logging')) return { body: xmlDocument('BucketLoggingStatus', '') };
  if (call.query.has('accelerate')) return { body: xmlDocument('AccelerateConfiguration', '') };
  return { body: xmlDocument('NotificationConfiguration', '') };
}

const ACL = `${OWNER}<AccessControlList><Grant><Grantee xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="CanonicalUser"><ID>syncer</ID><DisplayName>syncer</DisplayName></Grantee><Permission>FULL_CONTROL</Permission></Grant></AccessControlList>`;

/** The access rights of a bucket or object: owners of a key have all rights, others none. */
export async function getAcl(call: Call): Promise<Answer> {
  const place = await placeOf(call);
  if (call.key !== '') await findVersion(place);
  return { body: xmlDocument('AccessControlPolicy', ACL) };
}

/** Rights are accepted and change nothing, because clients send them with every bucket. */
export async function putAcl(call: Call): Promise<Answer> {
  await getAcl(call);
  await receiveBytes(call.payload(), MAX_DOCUMENT);
  return {};
}

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
    const text = "Versioning must be 'Enabled' on the bucket to apply an object lock configuration";
    throw new S3Error('InvalidBucketState', text);
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
  const mode = oneOf(MODES, childText(inside, 'Mode'), 'MalformedXML');
  const period = Number(text);
  const max = days === undefined ? 100 : 36_500;
  if (!Number.isInteger(period) || period < 1 || period > max) {
    throw new S3Error('InvalidRetentionPeriod');
  }
  return days === undefined ? { mode, years: period } : { mode, days: period };
}

/** All buckets. */
export async function listBuckets(call: Call): Promise<Answer> {
  const prefix = call.query.get('prefix') ?? '';
  const region = call.query.get('bucket-region') ?? call.region;
  const after = call.query.get('continuation-token') ?? '';
  const max = countParameter(call, 'max-buckets', 10_000, 10_000);
  if (max === 0) throw new S3Error('InvalidArgument', 'max-buckets must be above 0');
  const found = call.store
    .list()
    .filter(({ name }) => name.startsWith(prefix) && name > after && region === call.region);
  const page = found.slice(0, max);
  const buckets = page.map(
    ({ name, created }) =>
      `<Bucket>${element('Name', name)}${element('CreationDate', isoTime(created))}</Bucket>`,
  );
  const next = found.length > max ? element('ContinuationToken', page.at(-1)?.name ?? '') : '';
  const inner =
    `${OWNER}<Buckets>${buckets.join('')}</Buckets>${next}` +
    (prefix === '' ? '' : element('Prefix', prefix));
  return { body: xmlDocument('ListAllMyBucketsResult', inner) };
}

/** Creates a bucket. Its location is read and has no effect; an existing one stays as it is. */
export async function createBucket(call: Call): Promise<Answer> {
  const { data } = await receiveBytes(call.payload(), MAX_DOCUMENT);
  if (data.length > 0) {
    const unknown = (await readRequestXml(documentText(data))).children.find(
      ({ name }) => name !== 'LocationConstraint',
    );
    if (unknown !== undefined) throw notImplemented(`${unknown.name} of a new bucket`);
  }
  const locks = header(call.headers, 'x-amz-bucket-object-lock-enabled')?.toLowerCase() === 'true';
  const isNew = call.store.create(call.bucketName);
  const bucket = locks ? await bucketOf(call) : undefined;
  if (isNew) bucket?.changeSettings({ versioning: 'Enabled', objectLock: {} });
  // The oldest region responds as for a new one, which is right unless locks were requested.
  else if (call.region !== 'us-east-1' || (bucket && !bucket.settings.objectLock)) {
    throw new S3Error('BucketAlreadyOwnedByYou');
  }
  return { headers: { location: `/${call.bucketName}` } };
}

/** Whether the bucket exists. */
export async function headBucket(call: Call): Promise<Answer> {
  await bucketOf(call);
  return { headers: { 'x-amz-bucket-region': call.region } };
}

/** Deletes an empty bucket. */
export async function deleteBucket(call: Call): Promise<Answer> {
  await call.store.remove(call.bucketName);
  return { status: 204 };
}

/** The region for signatures. */
export async function getBucketLocation(call: Call): Promise<Answer> {
  await bucketOf(call);
  // The oldest region has no name here.
  const name = call.region === 'us-east-1' ? '' : call.region;
  return { body: xmlDocument('LocationConstraint', name) };
}

/**
 * Reads a CORS configuration: what pages of other origins may do with a bucket. Throws `MalformedXML`, and
 * `InvalidRequest` for an unsupported method.
 */
export async function readCorsRules(text: string) {
  const root = await readRequestXml(text);
  const rules = childrenNamed(root, 'CORSRule').map((rule) => {
    const texts = (name: string) => childrenNamed(rule, name).map((each) => each.text.trim());
    return {
      origins: texts('AllowedOrigin'),
      methods: texts('AllowedMethod'),
      headers: texts('AllowedHeader'),
      exposed: texts('ExposeHeader'),
      maxAgeSeconds: childText(rule, 'MaxAgeSeconds')?.trim(),
    };
  });
  const isWhole = rules.every(
    ({ origins, methods, exposed, maxAgeSeconds = '0' }) =>
      origins.length > 0 &&
      methods.length > 0 &&
      /^\d{1,10}$/.test(maxAgeSeconds) &&
      [...origins, ...exposed].every((each) => /^[\x21-\x7e]+$/.test(each)),
  );
  if (root.name !== 'CORSConfiguration' || rules.length === 0 || !isWhole) {
    throw new S3Error('MalformedXML');
  }
  const known = ['GET', 'PUT', 'HEAD', 'POST', 'DELETE'];
  const unknown = rules.flatMap((rule) => rule.methods).find((each) => !known.includes(each));
  if (unknown !== undefined) {
    const text = `Found unsupported HTTP method in CORS config. Unsupported method is ${unknown}`;
    throw new S3Error('InvalidRequest', text);
  }
  return rules;
}

/** The headers of the first matching rule; `undefined` if none matches. `headers`: the names of those to be sent. */
export function corsAnswer(
  rules: Awaited<ReturnType<typeof readCorsRules>>,
  question: { origin: string; method: string; headers: string },
): Record<string, string> | undefined {
  const wanted = question.headers.split(',').map((each) => each.trim().toLowerCase());
  const named = wanted.filter((each) => each !== '');
  const rule = rules.find(
    ({ origins, methods, headers }) =>
      methods.includes(question.method) &&
      origins.some((pattern) => fits(pattern, question.origin)) &&
      named.every((name) => headers.some((pattern) => fits(pattern.toLowerCase(), name))),
  );
  if (rule === undefined) return undefined;
  const anybody = rule.origins.includes('*');
  return {
    'access-control-allow-origin': anybody ? '*' : question.origin,
    'access-control-allow-methods': rule.methods.join(', '),
    ...(anybody ? {} : { 'access-control-allow-credentials': 'true' }),
    ...(named.length > 0 && { 'access-control-allow-headers': named.join(', ') }),
    ...(rule.exposed.length > 0 && { 'access-control-expose-headers': rule.exposed.join(', ') }),
    ...(rule.maxAgeSeconds && { 'access-control-max-age': rule.maxAgeSeconds }),
    vary: 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method',
  };
}

/** `*` stands for any text. */
function fits(pattern: string, text: string): boolean {
  const [start = '', ...rest] = pattern.split('*');
  const end = rest.pop();
  if (end === undefined) return pattern === text;
  if (rest.length > 0 || text.length < start.length + end.length) return false;
  return text.startsWith(start) && text.endsWith(end);
}

/** The headers that the CORS configuration of a bucket permits for the page of a request. */
export async function corsHeaders(
  store: BucketStore,
  bucketName: string,
  method: string,
  headers: IncomingHttpHeaders,
): Promise<Record<string, string> | undefined> {
  const { origin } = headers;
  if (origin === undefined || bucketName === '') return undefined;
  const bucket = await store.get(bucketName).catch(() => undefined);
  const text = bucket?.settings.documents?.['cors'];
  if (text === undefined) return undefined;
  const asked = header(headers, 'access-control-request-method') ?? method;
  const names = header(headers, 'access-control-request-headers') ?? '';
  return corsAnswer(await readCorsRules(text), { origin, method: asked, headers: names });
}
