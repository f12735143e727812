import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Capabilities, FileEntry, Remote } from '../../../../src/core/remote.ts';
import { deleteOne } from '../../../../src/core/remote-calls.ts';
import { startTestS3, type TestS3 } from '../../../servers/test-s3.ts';
import { OP, openS3, sourceOf } from '../../../support/open-s3.ts';

let s3: TestS3;
let remote: Remote;
beforeAll(async () => {
  s3 = await startTestS3();
  ({ remote } = await openS3(s3, 'bucket'));
  await remote.makeDir('', OP);
});
afterAll(async () => {
  await remote.close();
  await s3.stop();
});

type Call = Parameters<NonNullable<Capabilities['commands']>[string]['run']>[0];

const run = (name: string, call: Partial<Call> = {}, at = remote) =>
  at.can.commands?.[name]?.run({
    ...{ args: [], options: new Map(), op: OP, mayChange: async () => true },
    async lose(_, destroy) {
      await destroy();
      return true;
    },
    async *files() {},
    fail() {},
    ...call,
  });

test('versioning is set and read', async () => {
  expect(await run('versioning')).toBe('Unversioned');
  expect(await run('versioning', { args: ['Enabled'] })).toBe('Enabled');
  const skipped = { args: ['Suspended'], mayChange: async () => false };
  expect(await run('versioning', skipped)).toBe('Enabled');
  await expect(run('versioning', { args: ['Off'] })).rejects.toMatchObject({ code: 'usage' });
  const account = (await openS3(s3, '')).remote;
  await expect(run('versioning', {}, account)).rejects.toMatchObject({ code: 'usage' });
  await account.close();
});

test('old versions go before the markers that hide them, current objects stay', async () => {
  for (const text of ['1', '2']) {
    await remote.write(sourceOf('gone', text), OP);
    await remote.write(sourceOf('kept', text), OP);
  }
  await deleteOne(remote, { kind: 'file', path: 'gone', size: 1 }, OP);
  const asked: string[] = [];
  const lose: Call['lose'] = async ({ path, size, kept }) => {
    asked.push(`${kept?.kind} ${path.slice(0, 4)} ${size}`);
    return true;
  };
  const all = ['old gone 1', 'old gone 1', 'marker gone 0', 'old kept 1'];
  await run('cleanup-hidden', { lose });
  expect(asked).toEqual(all);
  await run('cleanup-hidden');
  const left: FileEntry[] = [];
  for await (const page of remote.can.listKept?.('', OP) ?? []) left.push(...page);
  expect(left.map(({ path, kept }) => `${kept?.kind} ${path}`)).toEqual(['current kept']);
});

test('uploads are listed by bucket, and the status of all objects', async () => {
  expect(await run('list-multipart-uploads')).toEqual({ bucket: [] });
  const options = new Map([['all', '']]);
  expect(await run('restore-status', { options })).toMatchObject([
    { Remote: 'kept', VersionID: null, RestoreStatus: null, StorageClass: 'STANDARD' },
  ]);
  expect(await run('restore-status')).toEqual([]);
});

test('only archived objects are restored', async () => {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    bodies.push(`${request.method} ${request.url} ${Buffer.concat(chunks)}`);
    response.writeHead(202, { 'x-amz-request-id': '1' }).end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const opened = await openS3({ ...s3, endpoint }, 'bucket');
  const file = (path: string, tier: string): FileEntry => ({ kind: 'file', path, size: 1, tier });
  const files = async function* () {
    yield [file('a', 'GLACIER'), file('b', 'STANDARD'), file('c', 'INTELLIGENT_TIERING')];
  };
  const options = new Map([
    ['lifetime', '7'],
    ['priority', 'Bulk'],
  ]);
  expect(await run('restore', { files, options }, opened.remote)).toEqual([
    { Status: 'OK', Remote: 'a' },
    {
      Status: 'Not GLACIER or DEEP_ARCHIVE or INTELLIGENT_TIERING storage class',
      Remote: 'b',
    },
    { Status: 'OK', Remote: 'c' },
  ]);
  const xmlns = 'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"';
  const tier = '<GlacierJobParameters><Tier>Bulk</Tier></GlacierJobParameters></RestoreRequest>';
  expect(bodies).toEqual([
    `POST /bucket/a?restore= <RestoreRequest ${xmlns}><Days>7</Days>${tier}`,
    `POST /bucket/c?restore= <RestoreRequest ${xmlns}>${tier}`,
  ]);
  const bad = { files, options: new Map([['lifetime', 'x']]) };
  await expect(run('restore', bad, opened.remote)).rejects.toMatchObject({ code: 'usage' });
  await opened.remote.close();
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});
