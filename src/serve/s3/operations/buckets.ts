import { receiveBytes } from '../body/receive.ts';
import type { Answer } from '../wire/answer.ts';
import { element, isoTime, OWNER, xmlDocument } from '../wire/xml-text.ts';
import { bucketOf, type Call } from './call.ts';

/** Longest XML document that a client may send, in bytes: 1,000 keys to delete fit, however escaped. */
export const MAX_DOCUMENT = 8 * 1024 * 1024;

/** All buckets. */
export async function listBuckets(call: Call): Promise<Answer> {
  const prefix = call.query.get('prefix') ?? '';
  const buckets = call.store
    .list()
    .filter(({ name }) => name.startsWith(prefix))
    .map(
      ({ name, created }) =>
        `<Bucket>${element('Name', name)}${element('CreationDate', isoTime(created))}</Bucket>`,
    );
  const inner = `${OWNER}<Buckets>${buckets.join('')}</Buckets>`;
  return { body: xmlDocument('ListAllMyBucketsResult', inner) };
}

/** Makes a bucket. Where it should lie is read and has no effect. */
export async function createBucket(call: Call): Promise<Answer> {
  await receiveBytes(call.payload(), MAX_DOCUMENT);
  call.store.create(call.bucketName);
  return { headers: { location: `/${call.bucketName}` } };
}

/** Whether the bucket is there. */
export async function headBucket(call: Call): Promise<Answer> {
  await bucketOf(call);
  return { headers: { 'x-amz-bucket-region': call.region } };
}

/** Deletes an empty bucket. */
export async function deleteBucket(call: Call): Promise<Answer> {
  await call.store.remove(call.bucketName);
  return { status: 204 };
}

/** The region that signatures must name. */
export async function getBucketLocation(call: Call): Promise<Answer> {
  await bucketOf(call);
  // The oldest region has no name here.
  const name = call.region === 'us-east-1' ? '' : call.region;
  return { body: xmlDocument('LocationConstraint', name) };
}
