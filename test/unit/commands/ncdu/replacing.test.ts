import { hash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { replacing } from '../../../../commands/ncdu/one-transfer.ts';
import { collectBody } from '../../../../src/core/body.ts';
import { SyncerError } from '../../../../src/core/errors.ts';
import type { FileEntry, Remote } from '../../../../src/core/remote.ts';
import { startTestS3, type TestS3 } from '../../../servers/test-s3.ts';
import { remoteBut } from '../../../support/memory-world.ts';
import { OP, openS3 } from '../../../support/open-s3.ts';

let s3: TestS3;
let remote: Remote;
let buckets = 0;
beforeAll(async () => {
  s3 = await startTestS3();
});
afterAll(() => s3.stop());
beforeEach(async () => {
  remote = (await openS3(s3, `bucket-${buckets++}`)).remote;
  await remote.makeDir('', OP);
});

const KEPT = { mimeType: 'text/x-own', metadata: { 'cache-control': 'no-cache', owner: 'me' } };

const source = (content: string, more: object = {}) => {
  const body = Buffer.from(content);
  return { path: 'a.txt', size: body.length, seekable: true, open: async () => body, ...more };
};
const now = async () => (await remote.stat('a.txt', OP)) as FileEntry;
const content = async () => {
  const body = await remote.read(await now(), undefined, OP);
  return (await collectBody(body, OP.signal)).toString();
};
const layered = async (file: FileEntry | undefined, dest = remote) => {
  const edited = { remote, path: 'a.txt', md5: async () => '' };
  return (await replacing(edited, file, OP))(dest);
};

test('an upload of an edit keeps type and metadata, and replaces what was there', async () => {
  await remote.write(source('old', KEPT), OP);
  await (await layered(await now())).write(source('edited'), OP);
  const details = await remote.can.details?.read(await now(), OP);
  expect(details).toMatchObject(KEPT);
  expect(await content()).toBe('edited');
});

test('what another client wrote in the last moment stays', async () => {
  await remote.write(source('old'), OP);
  const dest = await layered(await now());
  await remote.write(source('by another'), OP);
  await expect(dest.write(source('edited'), OP)).rejects.toThrow(
    'a.txt has changed since the question',
  );
  expect(await content()).toBe('by another');
});

test('in the place of a deleted file nothing new is replaced', async () => {
  const dest = await layered(undefined);
  await remote.write(source('by another'), OP);
  await expect(dest.write(source('edited'), OP)).rejects.toThrow('has changed since');
  expect(await content()).toBe('by another');
});

test('a server without conditions gets the file all the same', async () => {
  await remote.write(source('old'), OP);
  const without = remoteBut(remote, {
    async write({ replaces, ...whole }, op) {
      if (replaces !== undefined) throw new SyncerError('unsupported', 'the server does not');
      return remote.write(whole, op);
    },
  });
  await (await layered(await now(), without)).write(source('edited'), OP);
  expect(await content()).toBe('edited');
});

test('an upload whose response was lost is no conflict with itself', async () => {
  await remote.write(source('old'), OP);
  const file = await now();
  const twice = remoteBut(remote, {
    async write(whole, op) {
      await remote.write(whole, op);
      return remote.write(whole, op);
    },
  });
  const edited = { remote, path: 'a.txt', md5: async () => hash('md5', 'edited') };
  const written = (await replacing(edited, file, OP))(twice).write(source('edited'), OP);
  expect(await written).toMatchObject({ path: 'a.txt', size: 6 });
  expect(await content()).toBe('edited');
});
