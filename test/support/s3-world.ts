import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ListMultipartUploadsCommand } from '@aws-sdk/client-s3';
import { sdkClient } from '../servers/sdk-client.ts';
import { startTestS3, type TestS3 } from '../servers/test-s3.ts';
import { readTree } from './file-tree.ts';
import { makeSyncerWorld, type SyncerWorld, type WorldOptions } from './run-syncer.ts';

/** A world for runs of the program with an S3 server, which its configuration calls `store`. */
export interface S3World extends SyncerWorld {
  readonly s3: TestS3;
  /** The folder that holds the content of `store:bucket`, which exists. */
  readonly bucket: string;
  /** What `store:bucket` holds: `key` → `content@second` of the file that the server keeps for it. */
  objects(): Promise<Record<string, string>>;
  /** Keys of uploads in parts to `bucket` that were begun and neither completed nor given up. */
  unfinishedUploads(): Promise<string[]>;
}

/** Makes a world with a server. A test removes it when it is done. */
export async function makeS3World(options: WorldOptions = {}): Promise<S3World> {
  const [world, s3] = await Promise.all([makeSyncerWorld(options), startTestS3()]);
  const bucket = join(s3.root, 'bucket');
  await Promise.all([mkdir(bucket, { recursive: true }), writeFile(world.config, section(s3))]);
  return {
    ...world,
    s3,
    bucket,
    async objects() {
      const tree = Object.entries((await readTree(bucket)) ?? {});
      return Object.fromEntries(
        tree.filter(([path]) => !path.endsWith('/') && !path.startsWith('.syncer-s3/')),
      );
    },
    async unfinishedUploads() {
      const client = sdkClient(s3);
      const { Uploads = [] } = await client.send(
        new ListMultipartUploadsCommand({ Bucket: 'bucket' }),
      );
      client.destroy();
      return Uploads.map(({ Key = '' }) => Key);
    },
    async remove() {
      await s3.stop();
      await world.remove();
    },
  };
}

/** The section of a configuration file for a remote on a server; `more` lines replace or add keys. */
export function section(
  s3: Pick<TestS3, 'endpoint' | 'accessKeyId' | 'secretAccessKey'>,
  name = 'store',
  more: Readonly<Record<string, string>> = {},
): string {
  const keys = {
    type: 's3',
    provider: 'Other',
    access_key_id: s3.accessKeyId,
    secret_access_key: s3.secretAccessKey,
    endpoint: s3.endpoint,
    ...more,
  };
  const lines = Object.entries(keys).map(([key, value]) => `${key} = ${value}\n`);
  return `[${name}]\n${lines.join('')}\n`;
}
