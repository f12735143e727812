import type { Backend } from '../backend.ts';
import { S3_OPTIONS } from './options.ts';

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
