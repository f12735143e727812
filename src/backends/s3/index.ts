import type { Backend } from '../backend.ts';
import { S3_OPTIONS } from './options.ts';

const KEYS_GIVEN = { option: 'env_auth', is: ['', 'false'] };

/** Amazon S3 and every server with its protocol. */
export const s3: Backend = {
  type: 's3',
  group: 'S3-compatible',
  summary: 'S3 object storage: Amazon S3, MinIO, Ceph, Cloudflare R2, Wasabi and others',
  options: S3_OPTIONS,
  firstOptions: [
    { name: 'provider', step: 'Provider' },
    { name: 'env_auth', step: 'Credentials' },
    { name: 'access_key_id', where: KEYS_GIVEN, step: 'Credentials' },
    { name: 'secret_access_key', where: KEYS_GIVEN, step: 'Credentials' },
    { name: 'region', step: 'Region and endpoint' },
    { name: 'endpoint', step: 'Region and endpoint' },
  ],
  load: () => import('./s3-remote.ts'),
};
