import { receiveBytes } from '../body/receive.ts';
import { documentText, MAX_DOCUMENT, readRequestXml } from '../body/receive-xml.ts';
import type { Answer } from '../wire/answer.ts';
import { S3Error } from '../wire/s3-error.ts';
import { element, isoTime, OWNER, xmlDocument } from '../wire/xml-text.ts';
import { bucketOf, type Call, countParameter, header } from './call.ts';
import { notImplemented } from './operation-name.ts';

/** All buckets. */
export async function listBuckets(call: Call): Promise<Answer> {
  const prefix = call.query.get('prefix') ?? '';
  const region = call.query.get('bucket-region') ?? call.region;
  const after = call.query.get('continuation-token') ?? '';
  const max = countParameter(call, 'max-buckets', 10_000, 10_000);
  if (max === 0) throw new S3Error('InvalidArgument', { message: 'max-buckets must be above 0' });
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
