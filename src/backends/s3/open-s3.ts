import type { Remote } from '../../core/remote.ts';
import type { OpenParams } from '../backend.ts';
import { S3Client } from './client/s3-client.ts';
import { S3Remote } from './s3-remote.ts';
import { readSettings } from './settings.ts';
import { S3Store } from './store.ts';

/** Opens an S3 remote at `bucket/prefix`, or at `''` for all buckets. Throws `config`; makes no request. */
export async function open(params: OpenParams): Promise<Remote> {
  const { name, root, options, context, transport } = params;
  const settings = readSettings(name, options, transport.env);
  const client = new S3Client({ settings, transport, context });
  return new S3Remote(new S3Store(client, root.replace(/^\/+|\/+$/g, '')));
}
