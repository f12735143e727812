import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startServe } from '../../cli/start-serve.ts';
import { getText, listKeys } from '../../servers/sdk-client.ts';
import { startTestS3 } from '../../servers/test-s3.ts';
import { makeSyncerWorld, type SyncerWorld } from '../../support/run-syncer.ts';

let world: SyncerWorld;
beforeEach(async () => {
  world = await makeSyncerWorld({ inOwnProcess: true });
  await mkdir(join(world.dir, 'store/bucket'), { recursive: true });
});
afterEach(() => world.remove());

const Bucket = 'bucket';
/** Some keys are overwritten again and again, some cannot be file names, some stand in each other's way. */
const KEYS = ['same', 'dir/same', 'odd//same', 'clash', 'clash/below', 'n/e/w'];
const md5 = (text: string) => createHash('md5').update(text, 'latin1').digest('hex');

/** Writes without end, each object with the MD5 of its content as metadata; tells what was confirmed. */
async function writeUntilItBreaks(
  client: S3Client,
  worker: number,
  confirm: (key: string) => void,
) {
  for (let n = 1; ; n++) {
    const key = `${KEYS[n % KEYS.length]}-${worker}${n % 7 === 0 ? `-${n}` : ''}`;
    const Body = `${n} of ${key} `.repeat(n % 11 === 0 ? 40_000 : 3);
    const Metadata = { md5: md5(Body), n: String(n), mtime: '1700000000' };
    try {
      await client.send(new PutObjectCommand({ Bucket, Key: key, Body, Metadata }));
    } catch {
      return;
    }
    confirm(key);
  }
}

test('killed at any time, every object is whole, and what was confirmed is there', async () => {
  const confirmed = new Set<string>();
  let writes = 0;
  const confirm = (key: string) => {
    confirmed.add(key);
    writes++;
  };
  for (let round = 0; round < 4; round++) {
    const served = await startServe(world, ['store', '--auth-key', 'key,secret']);
    const client = new S3Client({
      endpoint: served.endpoint,
      region: 'us-east-1',
      forcePathStyle: true,
      maxAttempts: 1,
      credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
    });
    const workers = [0, 1, 2].map((worker) => writeUntilItBreaks(client, worker, confirm));
    // In the middle of whatever comes after so many writes.
    const enough = writes + 40 + 37 * round;
    while (writes < enough) await new Promise((resolve) => setImmediate(resolve));
    served.running.kill('SIGKILL');
    await Promise.all([...workers, served.running.ended]);
    client.destroy();
  }

  const s3 = await startTestS3({
    root: join(world.dir, 'store'),
    authKeys: [{ accessKeyId: 'key', secretAccessKey: 'secret' }],
  });
  const client = new S3Client({
    ...{ endpoint: s3.endpoint, region: 'us-east-1', forcePathStyle: true },
    credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
  });
  try {
    const keys = await listKeys(client, Bucket);
    expect(keys).toEqual(expect.arrayContaining([...confirmed]));
    for (const Key of keys) {
      const { text, ETag, Metadata } = await getText(client, { Bucket, Key });
      expect({ ETag, md5: Metadata?.['md5'] }, Key).toEqual({
        ETag: `"${md5(text)}"`,
        md5: md5(text),
      });
    }
  } finally {
    client.destroy();
    await s3.stop();
  }
});
