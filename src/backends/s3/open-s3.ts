import type { Remote } from '../../core/remote.ts';
import { OptionReader } from '../../kit/option-reader.ts';
import type { OpenParams } from '../backend.ts';
import { S3Client } from './client/s3-client.ts';
import { MISSED_OPTIONS } from './option-tables/rclone.ts';
import { readProfileRegion } from './profile-region.ts';
import { S3Remote } from './s3-remote.ts';
import { readSettings } from './settings.ts';
import { S3Store } from './store.ts';

/** Opens an S3 remote at `bucket/prefix`, or at `''` for all buckets. Throws `config`; makes no request. */
export async function open(params: OpenParams): Promise<Remote> {
  const { name, root, options, context, transport } = params;
  const { env } = transport;
  const settings = readSettings(name, options, env, await profileRegionOf(name, options, env));
  for (const option of MISSED_OPTIONS) {
    if (['', 'false'].includes(options[option] ?? '')) continue;
    const fields = { option };
    context.emit({ type: 'log', level: 'notice', path: name, code: 'option-ignored', fields });
  }
  const client = new S3Client({ settings, transport, context });
  return new S3Remote(new S3Store(client, root.replace(/^\/+|\/+$/g, '')));
}

/** What the shared configuration file says, looked at only where it counts. */
async function profileRegionOf(
  name: string,
  options: Readonly<Record<string, string>>,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const read = new OptionReader(name, options);
  const isTold = read.text('region') || env['AWS_REGION'] || env['AWS_DEFAULT_REGION'];
  if (isTold || !read.bool('env_auth', false)) return '';
  return readProfileRegion(read.text('profile'), env);
}
