import { hash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { directoryEndpoint, zoneOf } from '../../../../src/backends/s3/endpoint.ts';
import { collectBody } from '../../../../src/core/body.ts';
import type { Entry, FileEntry, Remote } from '../../../../src/core/remote.ts';
import {
  type DirectoryBuckets,
  startDirectoryBuckets,
} from '../../../servers/directory-buckets.ts';
import { sdkClient } from '../../../servers/sdk-client.ts';
import { OP, openS3, sourceOf } from '../../../support/open-s3.ts';

const BUCKET = 'data--use1-az4--x-s3';
const MIB = 1024 ** 2;

let nowMs = Date.now();
let server: DirectoryBuckets;
let remote: Remote;

const open = async (root: string, more: Record<string, string> = {}) => {
  const options = { provider: 'AWS', directory_bucket: 'true', ...more };
  return (await openS3(server, root, { options, now: () => nowMs })).remote;
};

beforeAll(async () => {
  server = await startDirectoryBuckets(() => nowMs);
  await mkdir(join(server.inner.root, BUCKET), { recursive: true });
  remote = await open(BUCKET, { upload_cutoff: '17Mi', chunk_size: '8Mi', list_chunk: '3' });
});
beforeEach(() => {
  server.requests.length = 0;
});
afterAll(async () => {
  await remote.close();
  await server.stop();
});

async function listed(dir: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  let cursor: string | undefined;
  do {
    const page = await remote.listPage(dir, cursor, OP);
    entries.push(...page.entries);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return entries;
}

const textOf = async (file: FileEntry) =>
  (await collectBody(await remote.read(file, undefined, OP), OP.signal)).toString();

describe('a directory bucket', () => {
  it("is what Amazon's own client uses", async () => {
    const client = sdkClient(server, { forcePathStyle: false });
    const at = { Bucket: BUCKET, Key: 'of-sdk' };
    await client.send(new PutObjectCommand({ ...at, Body: 'text' }));
    const { Body, ETag } = await client.send(new GetObjectCommand(at));
    expect(await Body?.transformToString()).toBe('text');
    expect(ETag).not.toContain('1cb251ec0d568de6a929b520c4aed8d1');
    const { KeyCount } = await client.send(new ListObjectsV2Command({ Bucket: BUCKET }));
    expect(KeyCount).toBe(1);
    await client.send(new DeleteObjectCommand(at));
    client.destroy();
  });

  it('takes small files with a CRC-32 and their MD5 as metadata', async () => {
    const file = await remote.write(sourceOf('d/small', 'text'), OP);
    const [put] = server.requests.filter(({ method }) => method === 'PUT');
    expect(put?.headers).not.toHaveProperty('content-md5');
    expect(put?.headers).toHaveProperty('x-amz-checksum-crc32');
    const there = (await remote.stat('d/small', OP)) as FileEntry;
    expect(there).toMatchObject({ size: 4, hashes: { md5: hash('md5', 'text') } });
    expect(there.etag).not.toBe(hash('md5', 'text'));
    expect(there.modTime).toBe(1_700_000_000_123_456_789n);
    expect(await textOf(file)).toBe('text');
  });

  it.each([
    ['in one stream', 16.1],
    ['in parts', 17.1],
  ])('takes large files %s', async (path, mib) => {
    const content = Buffer.alloc(mib * MIB, 1);
    const md5 = hash('md5', content);
    // The MD5 is known first, as that of a file on a disk.
    await remote.write({ ...sourceOf(path, content), hash: async () => md5 }, OP);
    const there = await remote.stat(path, OP);
    expect(there).toMatchObject({ size: content.length, hashes: { md5 } });
    for (const { headers } of server.requests) expect(headers).not.toHaveProperty('content-md5');
  });

  it('is listed whole, although it has no order', async () => {
    const names = Array.from({ length: 10 }, (_, i) => `many/${i}`);
    await Promise.all(names.map((name) => remote.write(sourceOf(name, name), OP)));
    await remote.write(sourceOf('many/deep/file', 'x'), OP);
    const entries = await listed('many');
    expect(remote.traits.sortedPages).toBe(false);
    expect(entries.map(({ path }) => path).sort()).toEqual([...names, 'many/deep'].sort());
    const all: string[] = [];
    for await (const page of remote.can.listTreeUnordered?.('many', 4, OP) ?? []) {
      all.push(...page.map(({ path }) => path));
    }
    expect(all.sort()).toEqual([...names, 'many/deep/file'].sort());
  });

  it('copies, sets times and deletes', async () => {
    const file = await remote.write(sourceOf('c/a', 'abc'), OP);
    const copy = await remote.can.copyFrom?.(remote, file, 'c/b', OP);
    expect(copy?.size).toBe(3);
    const touched = await remote.can.setModTime?.(file, 1_600_000_000_000_000_000n, OP);
    expect(touched?.modTime).toBe(1_600_000_000_000_000_000n);
    const failures = await remote.delete([touched as FileEntry, copy as FileEntry], OP);
    expect(failures.size).toBe(0);
    expect(await listed('c')).toEqual([]);
    expect(await remote.stat('c/a', OP)).toBeUndefined();
  });

  it('has sessions that are renewed before they end, one for all waiting requests', async () => {
    const before = server.sessions();
    nowMs += 245_000;
    await Promise.all([listed('c'), listed('many'), remote.stat('many/1', OP)]);
    expect(server.sessions() - before).toBe(1);
    expect(server.requests.filter(({ url }) => url?.includes('session'))).toHaveLength(1);
    server.expire();
    expect(await remote.stat('many/1', OP)).toMatchObject({ kind: 'file' });
    expect(server.sessions() - before).toBe(2);
  });

  it('asks once for a session that the server refuses', async () => {
    const refused = await open(BUCKET, { secret_access_key: 'wrong' });
    await expect(refused.stat('many/1', OP)).rejects.toMatchObject({ code: 'sign-in' });
    expect(server.requests.filter(({ url }) => url?.includes('session'))).toHaveLength(1);
    await refused.close();
  });

  it('has links that end with the session', async () => {
    const file = (await remote.stat('many/1', OP)) as FileEntry;
    const link = (await remote.can.publicLink?.(file, undefined, OP)) ?? '';
    const query = new URL(link).searchParams;
    expect(query.get('X-Amz-S3session-Token')).toMatch(/./);
    expect(Number(query.get('X-Amz-Expires'))).toBeLessThanOrEqual(300);
    expect(query.get('X-Amz-Credential')).toMatch(/\/s3express\/aws4_request$/);
  });

  it('is neither created nor deleted, but listed', async () => {
    await remote.makeDir('', OP);
    expect(server.requests.map(({ method }) => method)).not.toContain('PUT');
    const account = await open('');
    expect((await account.listPage('', undefined, OP)).entries).toEqual([
      { kind: 'dir', path: BUCKET, isBucket: true },
    ]);
    await expect(account.makeDir('new--use1-az4--x-s3', OP)).rejects.toMatchObject({
      code: 'bucket-not-found',
    });
    await expect(account.deleteDir(BUCKET, OP)).rejects.toMatchObject({ code: 'unsupported' });
  });

  it('finds unfinished uploads of one key', async () => {
    const uploads: unknown[] = [];
    for await (const upload of remote.can.listUploads?.('many/1', OP) ?? []) uploads.push(upload);
    expect(uploads).toEqual([]);
  });
});

describe('directoryEndpoint', () => {
  const amazon = {
    ...{ secure: true, hostname: 's3.eu-north-1.amazonaws.com', port: 443, basePath: '' },
    ...{ pathStyle: false, isAmazon: true },
  };

  it('has a host for each zone and one for the service', () => {
    const hostOf = (bucket: string, more = {}) =>
      directoryEndpoint({ ...amazon, ...more }, 'eu-north-1', bucket).hostname;
    expect(hostOf('a--eun1-az1--x-s3')).toBe('s3express-eun1-az1.eu-north-1.amazonaws.com');
    expect(hostOf('a--eun1-az1--x-s3', { dualStack: true })).toBe(
      's3express-eun1-az1.dualstack.eu-north-1.amazonaws.com',
    );
    expect(hostOf('')).toBe('s3express-control.eu-north-1.amazonaws.com');
    expect(hostOf('usual')).toBe(amazon.hostname);
    expect(hostOf('a--eun1-az1--x-s3', { isAmazon: false })).toBe(amazon.hostname);
    expect(zoneOf('a--usw2-lax1-az1--x-s3')).toBe('usw2-lax1-az1');
  });
});
