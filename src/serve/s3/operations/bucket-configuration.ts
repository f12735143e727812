import { receiveBytes } from '../body/receive.ts';
import type { Answer } from '../wire/answer.ts';
import { S3Error, type S3ErrorCode } from '../wire/s3-error.ts';
import { childText, readXml } from '../wire/xml-request.ts';
import { element, OWNER, xmlDocument } from '../wire/xml-text.ts';
import { MAX_DOCUMENT } from './buckets.ts';
import { bucketOf, type Call } from './call.ts';
import { BUCKET_DOCUMENTS } from './operation-name.ts';

/** Whether the bucket keeps old versions; it says nothing where it never did. */
export async function getBucketVersioning(call: Call): Promise<Answer> {
  const { versioning } = (await bucketOf(call)).settings;
  const inner = versioning === undefined ? '' : element('Status', versioning);
  return { body: xmlDocument('VersioningConfiguration', inner) };
}

/** Switches the keeping of old versions on, or suspends it. */
export async function putBucketVersioning(call: Call): Promise<Answer> {
  const bucket = await bucketOf(call);
  const { data } = await receiveBytes(call.payload(), MAX_DOCUMENT);
  const status = childText(readXml(data.toString('utf8')), 'Status');
  if (status !== 'Enabled' && status !== 'Suspended') throw new S3Error('MalformedXML');
  bucket.changeSettings({ ...bucket.settings, versioning: status });
  return {};
}

const ACL = `${OWNER}<AccessControlList><Grant><Grantee xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="CanonicalUser"><ID>syncer</ID><DisplayName>syncer</DisplayName></Grantee><Permission>FULL_CONTROL</Permission></Grant></AccessControlList>`;

/** The answer about access rights: who has a key of the server may do everything, nobody else anything. */
export function aclAnswer(): Answer {
  return { body: xmlDocument('AccessControlPolicy', ACL) };
}

/** Who may use the bucket. */
export async function getBucketAcl(call: Call): Promise<Answer> {
  await bucketOf(call);
  return aclAnswer();
}

/** Rights are accepted and change nothing, as clients send them with every bucket. */
export async function putBucketAcl(call: Call): Promise<Answer> {
  await bucketOf(call);
  await receiveBytes(call.payload(), MAX_DOCUMENT);
  return {};
}

type DocumentName = (typeof BUCKET_DOCUMENTS)[number];

const MISSING: Readonly<Record<DocumentName, S3ErrorCode>> = {
  cors: 'NoSuchCORSConfiguration',
  encryption: 'ServerSideEncryptionConfigurationNotFoundError',
  lifecycle: 'NoSuchLifecycleConfiguration',
  'object-lock': 'ObjectLockConfigurationNotFoundError',
  ownershipControls: 'OwnershipControlsNotFoundError',
  policy: 'NoSuchBucketPolicy',
  publicAccessBlock: 'NoSuchPublicAccessBlockConfiguration',
  replication: 'ReplicationConfigurationNotFoundError',
  tagging: 'NoSuchTagSet',
  website: 'NoSuchWebsiteConfiguration',
};

function documentName(call: Call): DocumentName {
  const name = BUCKET_DOCUMENTS.find((each) => call.query.has(each));
  if (name === undefined) throw new S3Error('InvalidRequest');
  return name;
}

/** Gives back a document about the bucket (policy, lifecycle, CORS, …). */
export async function getBucketDocument(call: Call): Promise<Answer> {
  const bucket = await bucketOf(call);
  const name = documentName(call);
  const text = bucket.settings.documents?.[name];
  if (text === undefined) throw new S3Error(MISSING[name]);
  if (name !== 'policy') return { body: text };
  return { headers: { 'content-type': 'application/json' }, body: Buffer.from(text, 'utf8') };
}

/** Keeps a document about the bucket. Nothing acts upon it. */
export async function putBucketDocument(call: Call): Promise<Answer> {
  const bucket = await bucketOf(call);
  const name = documentName(call);
  const { data } = await receiveBytes(call.payload(), MAX_DOCUMENT);
  const documents = { ...bucket.settings.documents, [name]: data.toString('utf8') };
  bucket.changeSettings({ ...bucket.settings, documents });
  return name === 'policy' ? { status: 204 } : {};
}

/** Forgets a document about the bucket. */
export async function deleteBucketDocument(call: Call): Promise<Answer> {
  const bucket = await bucketOf(call);
  const { [documentName(call)]: _, ...documents } = bucket.settings.documents ?? {};
  bucket.changeSettings({ ...bucket.settings, documents });
  return { status: 204 };
}

/** What is always at its default: no logging, no notifications, the owner pays, no acceleration. */
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
