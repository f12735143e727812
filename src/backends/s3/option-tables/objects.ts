import type { BackendOption } from '../../../core/options.ts';

/** What new objects and buckets are like. */
export const OBJECT_OPTIONS: readonly BackendOption[] = [
  {
    name: 'location_constraint',
    type: 'string',
    help: 'Where new buckets are made. Empty means the region on Amazon, and the default of other stores.',
  },
  {
    name: 'acl',
    type: 'string',
    help: 'Canned ACL of new objects, also of copies made by the store. Empty leaves it to the bucket.',
    examples: [
      { value: 'private', help: 'The owner gets full control, nobody else anything.' },
      { value: 'public-read', help: 'Everybody can read.' },
      { value: 'public-read-write', help: 'Everybody can read and write.' },
      { value: 'authenticated-read', help: 'Everybody with an account can read.' },
      { value: 'bucket-owner-read', help: "The bucket's owner can read." },
      { value: 'bucket-owner-full-control', help: "The bucket's owner gets full control too." },
    ],
  },
  {
    name: 'bucket_acl',
    type: 'string',
    advanced: true,
    help: 'Canned ACL of new buckets. Empty means the value of acl.',
    examples: [
      { value: 'private', help: 'The owner gets full control, nobody else anything.' },
      { value: 'public-read', help: 'Everybody can list.' },
      { value: 'public-read-write', help: 'Everybody can list and write.' },
      { value: 'authenticated-read', help: 'Everybody with an account can list.' },
    ],
  },
  {
    name: 'storage_class',
    type: 'string',
    help: 'Storage class of new objects. Empty leaves it to the store.',
    examples: [
      { value: 'STANDARD', help: 'For what is used often.', provider: ['AWS'] },
      { value: 'REDUCED_REDUNDANCY', help: 'With fewer copies.', provider: ['AWS'] },
      { value: 'STANDARD_IA', help: 'For what is seldom used.', provider: ['AWS'] },
      { value: 'ONEZONE_IA', help: 'Seldom used, in one zone.', provider: ['AWS'] },
      { value: 'INTELLIGENT_TIERING', help: 'The store chooses.', provider: ['AWS'] },
      { value: 'GLACIER', help: 'Archive, minutes to hours to read.', provider: ['AWS'] },
      { value: 'DEEP_ARCHIVE', help: 'Archive, hours to read.', provider: ['AWS'] },
      { value: 'GLACIER_IR', help: 'Archive that can be read at once.', provider: ['AWS'] },
    ],
  },
  {
    name: 'server_side_encryption',
    type: 'string',
    help: 'How the store encrypts new objects.',
    examples: [
      { value: 'AES256', help: "With the store's own key." },
      { value: 'aws:kms', help: 'With a key of the key management service.' },
    ],
  },
  {
    name: 'sse_kms_key_id',
    type: 'string',
    help: 'ARN of the key for aws:kms.',
  },
  {
    name: 'sse_customer_algorithm',
    type: 'string',
    advanced: true,
    help: 'Algorithm with which the store encrypts with a key that we send (SSE-C).',
    examples: [{ value: 'AES256', help: 'The only one there is.' }],
  },
  {
    name: 'sse_customer_key',
    type: 'string',
    secret: true,
    advanced: true,
    help: 'The key for SSE-C, 32 characters.',
  },
  {
    name: 'sse_customer_key_base64',
    type: 'string',
    secret: true,
    advanced: true,
    help: 'The key for SSE-C in base64; instead of sse_customer_key.',
  },
  {
    name: 'sse_customer_key_md5',
    type: 'string',
    advanced: true,
    help: 'MD5 of the SSE-C key in base64. Empty: it is computed.',
  },
];
