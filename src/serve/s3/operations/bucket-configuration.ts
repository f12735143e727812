import { childText } from '../../../s3-protocol/read-xml.ts';
import { receiveBytes } from '../body/receive.ts';
import { documentText, MAX_DOCUMENT, receiveXml } from '../body/receive-xml.ts';
import type { Answer } from '../wire/answer.ts';
import { S3Error, type S3ErrorCode } from '../wire/s3-error.ts';
import { element, xmlDocument } from '../wire/xml-text.ts';
import { bucketOf, type Call } from './call.ts';
import { readCorsRules } from './cors.ts';
import { notImplemented } from './operation-name.ts';

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
    throw new S3Error('InvalidBucketState', {
      message:
        'An Object Lock configuration is present on this bucket, so the versioning state cannot be changed.',
    });
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
  for (const name of call.query.keys()) if (isDocument(name)) return name;
  throw new S3Error('InvalidRequest');
}

function isDocument(name: string): name is keyof typeof MISSING {
  return Object.hasOwn(MISSING, name);
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
