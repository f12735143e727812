import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GetObjectTaggingCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { answerOf } from '../servers/lies/lie.ts';
import { sdkClient } from '../servers/sdk-client.ts';
import { inProcessWorld } from '../support/in-process-world.ts';
import { makeLieWorld } from '../support/lie-world.ts';

const world = inProcessWorld();

/** Copies above 5 MiB are made in parts. */
const syncer = (line: string) =>
  world.syncer(`${line} --s3-provider ArvanCloud --s3-copy-cutoff 5Mi`);

const SIZE = 6 * 1024 * 1024;
const TAGS = [
  { Key: 'class', Value: 'a b+c&d=e/f%20' },
  { Key: 'größe', Value: '' },
];

let client: ReturnType<typeof sdkClient>;
let Bucket: string;

beforeEach(async () => {
  Bucket = `tags${world.count}`;
  await mkdir(join(world.s3.root, Bucket), { recursive: true });
  client = sdkClient(world.s3);
  const { Key, Value } = TAGS[0] as (typeof TAGS)[0];
  const tagging = `${encodeURIComponent(Key)}=${encodeURIComponent(Value)}&${encodeURIComponent('größe')}=`;
  await client.send(
    new PutObjectCommand({ Bucket, Key: 'd/large', Body: Buffer.alloc(SIZE), Tagging: tagging }),
  );
});
afterEach(() => {
  world.s3.setFaults(undefined);
  client.destroy();
});

async function tagsOf(Key: string) {
  const { TagSet = [] } = await client.send(new GetObjectTaggingCommand({ Bucket, Key }));
  return TagSet.sort((a, b) => (a.Key ?? '').localeCompare(b.Key ?? ''));
}

const created = () =>
  world.s3.log.requests.filter(
    ({ operation, bucket }) => operation === 'CreateMultipartUpload' && bucket === Bucket,
  ).length;

test.each([
  ['touch B/d/large', 'd/large'],
  ['settier STANDARD_IA B/d/large', 'd/large'],
  ['copyto B/d/large B/e/large', 'e/large'],
  ['copy B/d B/e', 'e/large'],
  ['moveto B/d/large B/e/large', 'e/large'],
  ['move B/d B/e', 'e/large'],
  ['sync B/d B/e --metadata --metadata-set k=v', 'e/large'],
  ['copy B/d B/e --s3-storage-class STANDARD_IA', 'e/large'],
])('%s keeps the tags of an object that is copied in parts', async (line, key) => {
  expect((await syncer(line.replaceAll('B/', `s:${Bucket}/`))).code).toBe(0);
  expect(created()).toBe(1);
  expect(await tagsOf(key)).toEqual(TAGS);
});

test('so do a new time by a sync and a rename by --track-renames', async () => {
  await mkdir(join(world.dir, 'a'), { recursive: true });
  const file = join(world.dir, 'a/large');
  await writeFile(file, Buffer.alloc(SIZE));
  await utimes(file, 1, 1);
  expect((await syncer(`sync @a s:${Bucket}/d`)).code).toBe(0);
  expect([created(), await tagsOf('d/large')]).toEqual([1, TAGS]);
  await syncer('moveto @a/large @a/other');
  expect(
    (await syncer(`sync @a s:${Bucket}/d --track-renames --track-renames-strategy modtime`)).code,
  ).toBe(0);
  expect([created(), await tagsOf('d/other')]).toEqual([2, TAGS]);
});

test('tags of the user replace them', async () => {
  const set = '--metadata --metadata-set x-amz-tagging=own=1';
  expect((await syncer(`copy s:${Bucket}/d s:${Bucket}/e ${set}`)).code).toBe(0);
  expect(await tagsOf('e/large')).toEqual([{ Key: 'own', Value: '1' }]);
});

test('tags that must not be read are an error, and a server without tags is none', async () => {
  const refuse = (status: number, code: string) =>
    world.s3.setFaults(({ operation }) =>
      operation === 'GetObjectTagging' ? { status, code } : undefined,
    );
  refuse(403, 'AccessDenied');
  const run = await syncer(`moveto s:${Bucket}/d/large s:${Bucket}/e/large`);
  expect(run.code).toBe(1);
  expect(run.stderr).toContain(`cannot read the tags of ${Bucket}/d/large: access denied`);
  world.s3.setFaults(undefined);
  expect(await tagsOf('d/large')).toEqual(TAGS);
  refuse(501, 'NotImplemented');
  expect((await syncer(`copyto s:${Bucket}/d/large s:${Bucket}/e/large`)).code).toBe(0);
});

test('without tags nothing is asked', async () => {
  await client.send(new PutObjectCommand({ Bucket, Key: 'plain', Body: Buffer.alloc(SIZE) }));
  expect((await syncer(`copyto s:${Bucket}/plain s:${Bucket}/copy`)).code).toBe(0);
  const asked = world.s3.log.requests.filter(({ operation, bucket }) => {
    return operation === 'GetObjectTagging' && bucket === Bucket;
  });
  expect(asked).toEqual([]);
});

test('a file whose tags the server does not return stays where it is', async () => {
  const lied = await makeLieWorld({ copy_cutoff: '5Mi' });
  await lied.fill('s:b', {});
  const { endpoint } = lied.proxy;
  const own = sdkClient({ endpoint, accessKeyId: 'a', secretAccessKey: 'b', region: 'us-east-1' });
  const Body = Buffer.alloc(SIZE);
  await own.send(new PutObjectCommand({ Bucket: 'b', Key: 'large', Body, Tagging: 'a=b' }));
  own.destroy();
  lied.proxy.setLie({
    lie: {
      about: 'no tags',
      of: ['GetObjectTagging'],
      tell: () => answerOf(200, '<Tagging></Tagging>'),
    },
    of: ['GetObjectTagging'],
    every: 1,
  });
  const { code, stderr } = await lied.run(['moveto', 's:b/large', 's:b/other']);
  expect(stderr).toContain('cannot read the tags of b/large: the response has none');
  expect([code, Object.keys(await lied.read('s:b'))]).toEqual([1, ['large']]);
  await lied.remove();
});
