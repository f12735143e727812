import { PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Remote } from '../../../../src/core/remote.ts';
import { sdkClient } from '../../../servers/sdk-client.ts';
import { startTestS3, type TestS3 } from '../../../servers/test-s3.ts';
import { OP, openS3, sourceOf } from '../../../support/open-s3.ts';

let s3: TestS3;
let remote: Remote;
let plain: Remote;
beforeAll(async () => {
  s3 = await startTestS3();
  ({ remote } = await openS3(s3, 'bucket/root', { options: { directory_markers: 'true' } }));
  ({ remote: plain } = await openS3(s3, 'bucket'));
});
afterAll(async () => {
  await Promise.all([remote.close(), plain.close()]);
  await s3.stop();
});

/** Everything in the bucket, in the order of a flat listing. */
const tree = async () =>
  (await plain.can.listTreePage?.('', undefined, OP))?.entries.map(({ kind, path }) =>
    kind === 'dir' ? `${path}/` : path,
  );

test('directories are kept, with those above them, and found', async () => {
  expect(remote.traits.emptyDirs).toBe(true);
  await remote.makeDir('empty/deep', OP);
  await remote.write(sourceOf('files/below/x', 'x'), OP);
  expect(await tree()).toEqual([
    ...['root/', 'root/empty/', 'root/empty/deep/'],
    ...['root/files/', 'root/files/below/', 'root/files/below/x'],
  ]);
  expect(await remote.stat('empty/deep', OP)).toMatchObject({ kind: 'dir' });
  expect((await remote.listPage('empty/deep', undefined, OP)).entries).toEqual([]);
  await expect(remote.listPage('missing', undefined, OP)).rejects.toMatchObject({
    code: 'directory-not-found',
  });
});

test('a listing in no order finds an empty directory, and misses one that is not there', async () => {
  const list = async (dir: string) => {
    const paths: string[] = [];
    for await (const page of remote.can.listTreeUnordered?.(dir, 4, OP) ?? []) {
      paths.push(...page.map(({ path }) => path));
    }
    return paths;
  };
  expect(await list('files')).toContain('files/below/x');
  expect((await list('empty')).filter((path) => path !== 'empty/deep')).toEqual([]);
  await expect(list('missing')).rejects.toMatchObject({ code: 'directory-not-found' });
});

test('a marker is looked up once', async () => {
  const heads = () => s3.log.count('HeadObject');
  const before = heads();
  await remote.write(sourceOf('files/below/y', 'y'), OP);
  await remote.write(sourceOf('files/below/z', 'z'), OP);
  expect(heads()).toBe(before);
});

test('only an empty directory is deleted', async () => {
  await expect(remote.deleteDir('empty', OP)).rejects.toMatchObject({ code: 'not-empty' });
  await remote.deleteDir('empty/deep', OP);
  await remote.deleteDir('empty', OP);
  await expect(remote.deleteDir('empty', OP)).rejects.toMatchObject({
    code: 'directory-not-found',
  });
  await remote.makeDir('empty', OP);
  expect(await remote.stat('empty', OP)).toMatchObject({ kind: 'dir' });
  await remote.can.purge?.('', OP);
  expect(await tree()).toEqual([]);
});

test("a marker that may be encrypted is looked up with the customer's key", async () => {
  const heads: string[] = [];
  const trace = {
    request: (_id: number, head: string) => heads.push(head),
    answer: () => {},
    failure: () => {},
    showsSecrets: false,
    wantsRequestBodies: false,
    wantsAnswerBodies: false,
  };
  const options = {
    directory_markers: 'true',
    sse_customer_algorithm: 'AES256',
    sse_customer_key: 'k'.repeat(32),
  };
  const opened = await openS3(s3, 'bucket/root', { options, transport: { http: { trace } } });
  // The server of the test refuses such keys.
  await expect(opened.remote.makeDir('with-key', OP)).rejects.toThrow();
  await opened.remote.close();
  const looks = heads.filter((head) => head.startsWith('HEAD /bucket/root/'));
  expect(looks).not.toEqual([]);
  for (const head of looks) {
    expect(head).toMatch(/x-amz-server-side-encryption-customer-algorithm: AES256/i);
  }
});

test('without the option, only the empty marker of an empty directory is deleted', async () => {
  await remote.makeDir('marked', OP);
  await remote.makeDir('full', OP);
  await remote.write(sourceOf('full/x', 'x'), OP);
  await plain.deleteDir('root/marked', OP);
  await plain.deleteDir('root/full', OP);
  await plain.deleteDir('root/missing', OP);
  expect(await tree()).toEqual(['root/full/', 'root/full/x']);
  const client = sdkClient(s3);
  const content = { Bucket: 'bucket', Key: 'root/content/', Body: 'content of another program' };
  await client.send(new PutObjectCommand(content));
  client.destroy();
  for (const [one, dir] of [
    [plain, 'root/content'],
    [remote, 'content'],
  ] as const) {
    await expect(one.deleteDir(dir, OP)).rejects.toMatchObject({
      code: 'not-empty',
      message: `cannot remove ${dir}: its marker bucket/root/content/ is an object with content`,
    });
  }
  const nowhere = await openS3(s3, 'nowhere');
  await nowhere.remote.deleteDir('missing', OP);
  await nowhere.remote.close();
});
