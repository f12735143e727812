import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  CreateMultipartUploadCommand,
  PutBucketVersioningCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { FileEntry, Remote } from '../../../../../src/core/remote.ts';
import { deleteOne } from '../../../../../src/core/remote-calls.ts';
import { sdkClient } from '../../../../servers/sdk-client.ts';
import { startTestS3, type TestS3 } from '../../../../servers/test-s3.ts';
import { OP, openS3, sourceOf } from '../../../../support/open-s3.ts';

async function keptOf(remote: Remote, dir = ''): Promise<FileEntry[]> {
  const found: FileEntry[] = [];
  for await (const page of remote.can.listKept?.(dir, OP) ?? []) found.push(...page);
  return found;
}

const shown = (entries: readonly FileEntry[]) =>
  entries.map(({ path, size, kept }) => `${kept?.kind} ${path} ${size}`).sort();

describe('everything that a server keeps', () => {
  let s3: TestS3;
  beforeAll(async () => {
    s3 = await startTestS3();
    const { remote } = await openS3(s3, 'bucket');
    await remote.makeDir('', OP);
    const client = sdkClient(s3);
    const versioned = { Bucket: 'bucket', VersioningConfiguration: { Status: 'Enabled' } as const };
    await client.send(new PutBucketVersioningCommand(versioned));
    for (const text of ['1', '22', '333']) await remote.write(sourceOf('dir/a ü', text), OP);
    await remote.write(sourceOf('dir/gone', '55555'), OP);
    await deleteOne(remote, { kind: 'file', path: 'dir/gone', size: 5 }, OP);
    await remote.write(sourceOf('other', 'x'), OP);
    const upload = { Bucket: 'bucket', Key: 'dir/up' };
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(upload));
    for (const [PartNumber, Body] of [
      [1, 'seven77'],
      [3, 'four'],
    ] as const) {
      await client.send(new UploadPartCommand({ ...upload, UploadId, PartNumber, Body }));
    }
    client.destroy();
    await remote.close();
  });
  afterEach(() => s3.setFaults(undefined));
  afterAll(() => s3.stop());

  const ALL = [
    ...['current dir/a ü 3', 'current other 1', 'marker dir/gone 0'],
    ...['old dir/a ü 1', 'old dir/a ü 2', 'old dir/gone 5', 'upload dir/up 11'],
  ];

  test.each(['1', '2', '1000'])('comes in pages of %s', async (list_chunk) => {
    const { remote } = await openS3(s3, 'bucket', { options: { list_chunk } });
    expect(shown(await keptOf(remote))).toEqual(ALL);
    expect(await keptOf(remote, 'oth')).toEqual([]);
    await remote.close();
    const whole = await openS3(s3, '');
    const dir = 'bucket/dir';
    expect(shown(await keptOf(whole.remote, dir))).toEqual(
      ALL.filter((line) => line.includes('dir/'))
        .map((line) => line.replace('dir/', 'bucket/dir/'))
        .sort(),
    );
    await whole.remote.close();
  });

  test.each([
    ['ListObjectVersions', 501, 'NotImplemented'],
    ['ListObjectVersions', 405, 'MethodNotAllowed'],
    ['ListMultipartUploads', 501, 'NotImplemented'],
  ] as const)('is an error where %s is refused with %i', async (operation, status, code) => {
    s3.setFaults((request) => (request.operation === operation ? { status, code } : undefined));
    const { remote } = await openS3(s3, 'bucket');
    await expect(keptOf(remote)).rejects.toMatchObject({
      code: 'unsupported',
      message: `the server does not list old versions and uploads of bucket bucket (${code})`,
    });
    await remote.close();
  });

  test('is an error where the parts of an upload cannot be listed', async () => {
    s3.setFaults(({ operation }) => (operation === 'ListParts' ? { status: 403 } : undefined));
    const { remote } = await openS3(s3, 'bucket');
    await expect(keptOf(remote)).rejects.toMatchObject({ code: 'access-denied' });
    await remote.close();
  });

  test('is deleted, and nothing else at its path', async () => {
    const { remote } = await openS3(s3, 'bucket');
    const before = await keptOf(remote);
    const pick = (kind: string, size: number) =>
      before.find((entry) => entry.kept?.kind === kind && entry.size === size) as FileEntry;
    const doomed = [pick('old', 2), pick('upload', 11)];
    expect(await remote.can.deleteKept?.(doomed, OP)).toEqual(new Map());
    const left = shown(before.filter((entry) => !doomed.includes(entry)));
    expect(shown(await keptOf(remote))).toEqual(left);
    // The last version comes back with the marker gone.
    await remote.can.deleteKept?.([pick('marker', 0)], OP);
    expect(await remote.stat('dir/gone', OP)).toMatchObject({ size: 5 });
    s3.setFaults(({ operation }) =>
      operation.startsWith('DeleteObject') ? { status: 403 } : undefined,
    );
    const old = pick('old', 1);
    const failures = await remote.can.deleteKept?.([old], OP);
    expect(failures?.get(old)).toMatchObject({ code: 'access-denied' });
    await remote.close();
  });
});

describe('a listing that proves nothing', () => {
  let server: Server | undefined;
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  const one = (key: string, id: string, latest = 'true', size = '1') =>
    `<Version><Key>${key}</Key><VersionId>${id}</VersionId><IsLatest>${latest}</IsLatest><Size>${size}</Size></Version>`;
  const page = (rows: string, next?: readonly [string, string]) =>
    next === undefined
      ? `${rows}<IsTruncated>false</IsTruncated>`
      : `${rows}<IsTruncated>true</IsTruncated><NextKeyMarker>${next[0]}</NextKeyMarker><NextVersionIdMarker>${next[1]}</NextVersionIdMarker>`;

  test.each<readonly [string, readonly string[]]>([
    ['does not say whether it is complete', [one('a', '1')]],
    ['has a version without a name', [page(one('a', ''))]],
    ['does not say what is current', [page(one('a', '1', ''))]],
    ['has a size that is none', [page(one('a', '1', 'true', ''))]],
    ['has a version twice', [page(one('a', '1') + one('a', '1', 'false'))]],
    ['begins again', [page(one('a', '1'), ['a', '1']), page(one('a', '1'))]],
    ['goes back', [page(one('b', '1'), ['b', '1']), page(one('a', '1'))]],
    ['has a key behind its end', [page(one('c', '1'), ['b', '1'])]],
    ['has the same next page', [page(one('a', '1'), ['a', '1']), page('', ['a', '1'])]],
    ['has no next page', [page(one('a', '1'), ['', ''])]],
  ])('is an error: it %s', async (_, pages) => {
    const left = [...pages];
    const answer = () => `<ListVersionsResult>${left.shift() ?? page('')}</ListVersionsResult>`;
    server = createServer((_request, response) => response.end(answer()));
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    const { remote } = await openAt(server);
    await expect(keptOf(remote)).rejects.toMatchObject({
      code: 'bad-answer',
      message: expect.stringContaining('invalid listing of the versions in bucket bucket'),
    });
    await remote.close();
  });

  const old = (path: string, id: string) =>
    ({ kind: 'file', path, size: 1, kept: { kind: 'old', id } }) as const;
  const deleted = (key: string, rest: string) => `<Deleted><Key>${key}</Key>${rest}</Deleted>`;
  const version = (id: string) => `<VersionId>${id}</VersionId>`;

  /** Deletes two versions of `a` and one of `b & c`; returns the requests and failures. `tell` answers DeleteObjects. */
  async function deletion(tell: () => string | number, single: 'done' | 'no effect' = 'done') {
    const asked: string[] = [];
    server = createServer((request, response) => {
      const { method, url = '' } = request;
      request.resume();
      if (method === 'POST') {
        asked.push('batch');
        const answer = tell();
        if (typeof answer === 'number') response.writeHead(answer);
        response.end(typeof answer === 'number' ? '' : `<DeleteResult>${answer}</DeleteResult>`);
        return;
      }
      const id = new URL(url, 'http://server').searchParams.get('versionId') ?? '';
      asked.push(`${method} ${id}`);
      const told = single === 'done' ? { 'x-amz-version-id': id } : {};
      response.writeHead(method === 'DELETE' ? 204 : 200, {
        etag: '"e"',
        ...(method === 'HEAD' && { 'content-length': '1' }),
        ...told,
      });
      response.end();
    });
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    const { remote } = await openAt(server);
    const files = [old('a', '1'), old('a', '2'), old('b & c', '3')];
    try {
      const failures = await remote.can.deleteKept?.(files, OP);
      const failed = [...(failures ?? [])].map(([{ kept }, { message }]) => [kept?.id, message]);
      return { asked, failed };
    } finally {
      await remote.close();
    }
  }

  const ALL =
    deleted('a', version('1')) + deleted('a', version('2')) + deleted('b &amp; c', version('3'));
  const LOCKED = `<Error><Key>a</Key>${version('2')}<Code>AccessDenied</Code><Message>locked</Message></Error>`;
  const ONE_BY_ONE = ['batch', 'DELETE 1', 'DELETE 2', 'DELETE 3'];

  test('many versions are one request, if its response names each', async () => {
    expect(await deletion(() => ALL)).toEqual({ asked: ['batch'], failed: [] });
  });

  test('the error of a version is that of no other one', async () => {
    const answer = deleted('a', version('1')) + LOCKED + deleted('b &amp; c', version('3'));
    const { asked, failed } = await deletion(() => answer);
    expect(asked).toEqual(['batch']);
    expect(failed).toEqual([['2', expect.stringContaining('AccessDenied')]]);
  });

  test.each<readonly [string, string | number, readonly string[]]>([
    ['names no version', deleted('a', '').repeat(2) + deleted('b &amp; c', ''), ONE_BY_ONE],
    ['names not all', deleted('a', version('1')) + LOCKED, ['batch', 'DELETE 3']],
    ['is empty', '', ONE_BY_ONE],
    ['is none', 501, ONE_BY_ONE],
    [
      'misses a version',
      ALL.replace(deleted('a', version('2')), LOCKED.replace('AccessDenied', 'NoSuchVersion')),
      ['batch', 'DELETE 2'],
    ],
  ])('what is not proven is deleted alone: the response %s', async (_, answer, requests) => {
    const { asked, failed } = await deletion(() => answer);
    expect(asked.sort()).toEqual([...requests].sort());
    expect(failed.map(([id]) => id)).toEqual(`${answer}`.includes('AccessDenied') ? ['2'] : []);
  });

  test.each([
    ['another version', deleted('a', version('9'))],
    ['the same version of another key', deleted('x', version('1'))],
    ['a new marker', deleted('a', '<DeleteMarkerVersionId>9</DeleteMarkerVersionId>')],
    ['the error of another version', LOCKED.replace(version('2'), version('9'))],
  ])('a response about %s stops the deletion', async (_, answer) => {
    await expect(deletion(() => answer)).rejects.toMatchObject({
      code: 'bad-answer',
      message: expect.stringContaining('the response is for other objects'),
    });
  });

  test('a deletion without effect is an error', async () => {
    const { failed } = await deletion(() => 501, 'no effect');
    expect(failed).toEqual(
      ['1', '2', '3'].map((id) => [id, expect.stringContaining('still exists')]),
    );
  });

  function openAt(at: Server) {
    const endpoint = `http://127.0.0.1:${(at.address() as AddressInfo).port}`;
    const keys = { accessKeyId: 'key', secretAccessKey: 'secret' };
    return openS3({ endpoint, ...keys }, 'bucket');
  }
});
