import type { BackendOption } from '../../core/options.ts';
import type { Backend } from '../backend.ts';
import { ACCOUNT_OPTIONS } from './option-tables/account.ts';
import { IDLE_OPTIONS, LISTING_OPTIONS, OBJECT_OPTIONS } from './option-tables/objects.ts';

import { UPLOAD_OPTIONS } from './option-tables/upload.ts';

/** The options of an S3 remote, under rclone's names, in the order of the questions. */
export const S3_OPTIONS: readonly BackendOption[] = [
  ...ACCOUNT_OPTIONS,
  ...OBJECT_OPTIONS,
  ...UPLOAD_OPTIONS,
  ...LISTING_OPTIONS,
  ...IDLE_OPTIONS,
];

/** Amazon S3 and every server with its protocol. */
export const s3: Backend = {
  type: 's3',
  summary: 'S3 object storage: Amazon S3, MinIO, Ceph, Cloudflare R2, Wasabi and others',
  options: S3_OPTIONS,
  firstOptions: [
    { name: 'provider' },
    { name: 'env_auth' },
    { name: 'access_key_id', where: { option: 'env_auth', is: ['', 'false'] } },
    { name: 'secret_access_key', where: { option: 'env_auth', is: ['', 'false'] } },
    { name: 'region' },
    { name: 'endpoint' },
  ],
  load: () => import('./s3-remote.ts'),
};
