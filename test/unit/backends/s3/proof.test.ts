import { hash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isWritten } from '../../../../src/backends/s3/objects/delete-files.ts';
import type { FileEntry, Remote } from '../../../../src/core/remote.ts';
import { deleteOne } from '../../../../src/core/remote-calls.ts';
import type { OperationName } from '../../../../src/serve/s3/operations/index.ts';
import { startS3Server } from '../../../../src/serve/s3/s3-server.ts';
import { answerOf, type Lie, withHeaders, withText } from '../../../servers/lies/lie.ts';
import { type Lying, type LyingProxy, startLyingProxy } from '../../../servers/lies/lying-proxy.ts';
import { OP, openS3, sourceOf } from '../../../support/open-s3.ts';

// What no command of test/cli/s3-lies.test.ts asks: buckets, unfinished uploads, odd keys.

let root: string;
let server: Awaited<ReturnType<typeof startS3Server>>;
let proxy: LyingProxy;
const opened: Remote[] = [];

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'syncer-proof-'));
  server = await startS3Server({ root, port: 0, authKeys: [], region: 'us-east-1' });
  proxy = await startLyingProxy(server.endpoint);
});
beforeEach(() => {
  proxy.setLie(undefined);
  proxy.log.clear();
});
afterAll(async () => {
  for (const remote of opened) await remote.close();
  await proxy.close();
  await server.close();
  await rm(root, { recursive: true });
});

async function open(at: string, more: Parameters<typeof openS3>[2] = {}): Promise<Remote> {
  const keys = { endpoint: proxy.endpoint, accessKeyId: 'a', secretAccessKey: 'b' };
  const transport = { lowLevelRetries: 1 };
  const { remote } = await openS3(keys, at, { transport, ...more });
  opened.push(remote);
  return remote;
}

const ANY = ['html-200', 'html-untyped', 'empty-200', 'empty-202', 'error-200', 'other-xml'];

describe('buckets', () => {
  it.each([...ANY, 'redirect-nowhere', 'not-modified'])('are not made by %s', async (lie) => {
    const remote = await open(`made-by-${lie}`);
    proxy.setLie({ lie, of: ['CreateBucket', 'HeadBucket'] });
    await expect(remote.makeDir('', OP)).rejects.toThrow();
    expect(await readdir(root)).not.toContain(`made-by-${lie}`);
  });

  it.each([...ANY, 'empty-204', 'delete-kept-200'])('are not removed by %s', async (lie) => {
    const of = ['DeleteBucket'] as const;
    if (lie === 'empty-204') return;
    await mkdir(join(root, `kept-by-${lie}`));
    const remote = await open(`kept-by-${lie}`);
    proxy.setLie({ lie, of });
    await expect(remote.deleteDir('', OP)).rejects.toThrow();
  });

  it.each([...ANY, 'empty-204', 'document-cut', 'html-after'])(
    'are not listed by %s',
    async (lie) => {
      const remote = await open('');
      proxy.setLie({ lie, of: ['ListBuckets'] });
      await expect(remote.listPage('', undefined, OP)).rejects.toThrow();
    },
  );
});

describe('cleanup', () => {
  const begin = async (bucket: string) => {
    await mkdir(join(root, bucket), { recursive: true });
    await fetch(`${server.endpoint}/${bucket}/upload?uploads`, { method: 'POST' });
  };

  it('goes by the clock of the store', async () => {
    await begin('clock');
    const days = 3 * 24 * 3_600_000;
    const ahead = await open('clock', { now: () => Date.now() + days });
    await ahead.can.cleanUp?.(24 * 3_600_000, OP);
    expect(proxy.log.count('AbortMultipartUpload')).toBe(0);
    const behind = await open('clock', { now: () => Date.now() - days });
    await behind.can.cleanUp?.(-60_000, OP);
    expect(proxy.log.count('AbortMultipartUpload')).toBe(1);
  });

  it.each([...ANY, 'empty-204', 'document-cut', 'list-end'])('fails for %s', async (lie) => {
    await begin('cleanup');
    const remote = await open('cleanup');
    const untold = {
      about: '',
      of: ['ListMultipartUploads'] as const,
      tell: () => answerOf(200, '<ListMultipartUploadsResult></ListMultipartUploadsResult>'),
    };
    proxy.setLie({ lie: lie === 'list-end' ? untold : lie, of: ['ListMultipartUploads'] });
    await expect(remote.can.cleanUp?.(-60_000, OP)).rejects.toThrow();
  });

  it.each(['delete-kept-200', 'empty-202'])(
    'does not take %s for the end of an upload',
    async (lie) => {
      await begin('kept');
      const remote = await open('kept');
      proxy.setLie({ lie, of: ['AbortMultipartUpload'] });
      await expect(remote.can.cleanUp?.(-60_000, OP)).rejects.toMatchObject({ code: 'bad-answer' });
    },
  );

  it('asks a second time for the end of an upload that was not confirmed', async () => {
    await begin('twice');
    const remote = await open('twice');
    let asked = 0;
    const once = {
      about: '',
      of: ['AbortMultipartUpload'] as const,
      tell: () => (asked++ === 0 ? answerOf(202) : undefined),
    };
    proxy.setLie({ lie: once, of: once.of });
    await remote.can.cleanUp?.(-60_000, OP);
    expect(asked).toBe(2);
  });
});

it('a completion of an upload whose response is a web page is asked for a second time', async () => {
  const options = { upload_cutoff: '5Mi', chunk_size: '5Mi' };
  await mkdir(join(root, 'completed'));
  const remote = await open('completed', { options });
  let asked = 0;
  const once = {
    about: '',
    of: ['CompleteMultipartUpload'] as const,
    tell: () => (asked++ === 0 ? answerOf(200, '<html></html>', 'text/html') : undefined),
  };
  proxy.setLie({ lie: once, of: once.of });
  const content = Buffer.alloc(6 * 1024 * 1024, 'x');
  expect(await remote.write(sourceOf('large', content), OP)).toMatchObject({
    size: content.length,
  });
  expect(asked).toBe(2);
});

describe('keys with the segments . and ..', () => {
  /** A store that has these keys, and takes note of what is asked of it. */
  const listing = (keys: readonly string[]) => ({
    about: '',
    of: ['ListObjectsV2', 'DeleteObjects'] as const,
    tell: ({ request, body }: { request: { operation: string }; body: Buffer }) => {
      if (request.operation === 'DeleteObjects') {
        const asked = [...body.toString().matchAll(/<Key>(.*?)<\/Key>/g)].map(([, key]) => key);
        const deleted = asked.map((key) => `<Deleted><Key>${key}</Key></Deleted>`).join('');
        return answerOf(200, `<DeleteResult>${deleted}</DeleteResult>`);
      }
      const contents = keys
        .map((key) => `<Contents><Key>${key}</Key><Size>1</Size><ETag>"e"</ETag></Contents>`)
        .join('');
      const end = '<IsTruncated>false</IsTruncated>';
      return answerOf(200, `<ListBucketResult>${end}${contents}</ListBucketResult>`);
    },
  });

  it('are deleted under their own names, or not at all', async () => {
    const remote = await open('dots');
    const keys = ['../x', './x', 'a/../../y ', '．/x'];
    proxy.setLie({ lie: listing(keys) });
    const files: FileEntry[] = [];
    for await (const entries of remote.can.listTreeUnordered?.('', 1, OP) ?? []) {
      files.push(...(entries as FileEntry[]));
    }
    expect(files.map(({ path }) => path)).toEqual(['．．/x', '．/x', 'a/．．/．．/y ', '．/x']);
    proxy.log.clear();
    const failures = await remote.delete(files, OP);
    expect([...failures].map(([file, error]) => [file.path, (error as Error).message])).toEqual([
      ['a/．．/．．/y ', expect.stringContaining('could reach another object')],
    ]);
    expect(proxy.log.counts()).toEqual({ DeleteObjects: 1 });
    const [first] = files;
    if (first !== undefined) await deleteOne(remote, first, OP);
    expect(proxy.log.counts()).toEqual({ DeleteObjects: 2 });
  });
});

describe('directories with the names . and ..', () => {
  /** A store that has these keys, and lists them by directory. */
  const store = (keys: readonly string[]) => ({
    about: '',
    of: ['ListObjectsV2'] as const,
    tell: ({ request }: { request: { url: string } }) => {
      const { searchParams } = new URL(request.url, 'http://s3');
      const prefix = searchParams.get('prefix') ?? '';
      const below = keys.filter((key) => key.startsWith(prefix));
      const cut = (key: string) => key.indexOf('/', prefix.length) + 1;
      const isFile = (key: string) => cut(key) === 0 || !searchParams.has('delimiter');
      const files = below
        .filter(isFile)
        .map((key) => `<Contents><Key>${key}</Key><Size>1</Size><ETag>"e"</ETag></Contents>`);
      const dirs = below.filter((key) => !isFile(key)).map((key) => key.slice(0, cut(key)));
      const prefixes = [...new Set(dirs)].map(
        (dir) => `<CommonPrefixes><Prefix>${dir}</Prefix></CommonPrefixes>`,
      );
      const inner = ['<IsTruncated>false</IsTruncated>', ...files, ...prefixes].join('');
      return answerOf(200, `<ListBucketResult>${inner}</ListBucketResult>`);
    },
  });

  it('are listed with those of look-alike names, and their files name their keys', async () => {
    const remote = await open('dot-dirs');
    proxy.setLie({
      lie: store(['../x', './d/f', './x', 'a/./b', 'a/．/．/g', 'a/．/c', '．/d/h', '．/y']),
    });
    const list = async (dir: string) => {
      const { entries, cursor, failed } = await remote.listPage(dir, undefined, OP);
      expect([cursor, failed]).toEqual([undefined, undefined]);
      return entries.map((entry) => ('id' in entry ? [entry.path, entry.id] : [entry.path]));
    };
    expect(await list('')).toEqual([['a'], ['．'], ['．．']]);
    expect(await list('．')).toEqual([
      ['．/d'],
      ['．/x', 'dot-dirs/./x'],
      ['．/y', 'dot-dirs/．/y'],
    ]);
    expect(await list('．．')).toEqual([['．．/x', 'dot-dirs/../x']]);
    expect((await list('a/．')).flat()).toContain('dot-dirs/a/./b');
    expect(await list('a/．/．')).toEqual([['a/．/．/g', 'dot-dirs/a/．/．/g']]);
  });
});

describe('a write', () => {
  const answerTo = (operation: OperationName, headers: Record<string, string>): Lying => ({
    lie: {
      about: '',
      of: [operation],
      tell: async ({ ask }) => withHeaders(await ask(), headers),
    },
  });

  it('takes no more requests than before where the store answers well, and a copy one look', async () => {
    await mkdir(join(root, 'plain'));
    const remote = await open('plain');
    await writeFile(join(root, 'plain', 'there'), 'x');
    await remote.write(sourceOf('a', 'content'), OP);
    const file = (await remote.stat('a', OP)) as FileEntry;
    await remote.can.copyFrom?.(remote, file, 'b', OP);
    await deleteOne(remote, file, OP);
    const others = ['b', 'none'].map((path) => ({ ...file, path }));
    await remote.delete(others, OP);
    expect(proxy.log.counts()).toEqual({
      PutObject: 1,
      HeadObject: 2,
      CopyObject: 1,
      DeleteObject: 1,
      DeleteObjects: 1,
    });
  });

  it.each([
    ['an ETag of its own', { etag: '"abc"' }, 1],
    ['a weak ETag of its own', { etag: 'W/"5-18d"' }, 1],
    ['the ETag of an encrypted object', { 'x-amz-server-side-encryption': 'aws:kms' }, 1],
    ['the MD5 in capitals', { etag: '"9A0364B9E99BB480DD25E1F0284C8555"' }, 0],
  ])('is looked at after %s', async (_name, headers, looks) => {
    await mkdir(join(root, 'opaque'), { recursive: true });
    const remote = await open('opaque');
    proxy.setLie(answerTo('PutObject', headers));
    const { modTime: _none, ...untimed } = sourceOf('b', 'content');
    for (const source of [sourceOf('a', 'content'), untimed]) {
      proxy.log.clear();
      await remote.write(source, OP);
      expect(proxy.log.counts()).toEqual({
        PutObject: 1,
        ...(looks === 0 ? {} : { HeadObject: looks }),
      });
    }
  });

  it('is believed with no_head where an ETag came', async () => {
    await mkdir(join(root, 'unseen'));
    const remote = await open('unseen', { options: { no_head: 'true' } });
    proxy.setLie(answerTo('PutObject', { etag: '"abc"' }));
    await remote.write(sourceOf('a', 'content'), OP);
    expect(proxy.log.counts()).toEqual({ PutObject: 1 });
  });

  it('is not looked at where the answer tells its CRC-32', async () => {
    await mkdir(join(root, 'summed'));
    const options = { use_data_integrity_protections: 'true' };
    const remote = await open('summed', { options });
    proxy.setLie(answerTo('PutObject', { 'x-amz-server-side-encryption': 'aws:kms' }));
    await remote.write(sourceOf('a', 'content'), OP);
    expect(proxy.log.counts()).toEqual({ PutObject: 1 });
  });

  it('says what to do where the key may not look', async () => {
    await mkdir(join(root, 'write-only'));
    const remote = await open('write-only');
    const tell: Lie['tell'] = async ({ ask, request }) =>
      request.operation === 'HeadObject'
        ? answerOf(403)
        : withHeaders(await ask(), { etag: '"abc"' });
    proxy.setLie({ lie: { about: '', of: ['PutObject', 'HeadObject'], tell } });
    await expect(remote.write(sourceOf('a', 'content'), OP)).rejects.toMatchObject({
      code: 'access-denied',
      advice: expect.stringContaining('no_head'),
    });
  });

  it('fails where a part arrived as another one, and the store verifies nothing', async () => {
    await mkdir(join(root, 'part'));
    const options = { upload_cutoff: '0', use_multipart_etag: 'true' };
    const more = { ...options, use_data_integrity_protections: 'false' };
    const remote = await open('part', { options: more });
    proxy.setLie({ lie: 'part-other-bytes' });
    await expect(remote.write(sourceOf('a', 'content'), OP)).rejects.toMatchObject({
      code: 'corrupted',
    });
    expect(await readdir(join(root, 'part'))).not.toContain('a');
  });
});

describe('a copy within the store', () => {
  it.each(['copy-unmade', 'copy-other-etag'])(
    'is not taken for done where an object of the same size is there: %s',
    async (lie) => {
      await mkdir(join(root, lie));
      const remote = await open(lie);
      await remote.write(sourceOf('from', 'content'), OP);
      await remote.write(sourceOf('to', 'tnetnoc'), OP);
      const file = (await remote.stat('from', OP)) as FileEntry;
      proxy.setLie({ lie });
      await expect(remote.can.copyFrom?.(remote, file, 'to', OP)).rejects.toThrow();
    },
  );

  it('is not taken for done where the time of the old object is there', async () => {
    await mkdir(join(root, 'times'));
    const remote = await open('times');
    const write = (path: string, modTime: bigint) =>
      remote.write({ ...sourceOf(path, 'content'), modTime }, OP);
    await write('from', 1_000_000_000n);
    await write('to', 2_000_000_000n);
    const file = (await remote.stat('from', OP)) as FileEntry;
    proxy.setLie({ lie: 'copy-unmade' });
    await expect(remote.can.copyFrom?.(remote, file, 'to', OP)).rejects.toThrow(/did not make it/);
    proxy.setLie(undefined);
    await remote.can.setModTime?.(file, 3n, OP);
    await remote.can.copyFrom?.(remote, file, 'to', OP);
    expect(await remote.stat('to', OP)).toMatchObject({ modTime: 3n });
  });

  it('may have an ETag of its own', async () => {
    await mkdir(join(root, 'odd'));
    const remote = await open('odd');
    await remote.write(sourceOf('from', 'content'), OP);
    const file = (await remote.stat('from', OP)) as FileEntry;
    const tell: Lie['tell'] = async ({ ask, request }) => {
      const answer = await ask();
      const etag = `"odd-${hash('md5', request.url)}"`;
      if (request.operation === 'HeadObject') return withHeaders(answer, { etag });
      return withText(answer, (text) => text.replace(/<ETag>.*<\/ETag>/, '<ETag>"odd"</ETag>'));
    };
    proxy.setLie({ lie: { about: '', of: ['CopyObject', 'HeadObject'], tell } });
    await remote.can.copyFrom?.(remote, file, 'to', OP);
    expect(await readdir(join(root, 'odd'))).toContain('to');
  });
});

describe('what is said to be missing', () => {
  it('is looked for once, and is gone where it is', async () => {
    await mkdir(join(root, 'missing'));
    const remote = await open('missing');
    proxy.setLie({ lie: 'delete-kept-404' });
    await deleteOne(remote, { kind: 'file', path: 'a', size: 1 }, OP);
    expect(proxy.log.counts()).toEqual({ DeleteObject: 1, HeadObject: 1 });
    proxy.log.clear();
    proxy.setLie({ lie: 'delete-many-no-such-key' });
    const files = ['a', 'b'].map((path) => ({ kind: 'file', path, size: 1 }) as const);
    expect((await remote.delete(files, OP)).size).toBe(0);
    expect(proxy.log.counts()).toEqual({ DeleteObjects: 1, DeleteObject: 2 });
  });
});

describe('what a failed write made', () => {
  const at = (seconds: number) => BigInt(seconds) * 1_000_000_000n;
  const file = (more: Partial<FileEntry>): FileEntry => ({
    kind: 'file',
    path: 'a',
    size: 1,
    etag: 'x',
    toldAt: at(1010),
    ...more,
  });

  it.each<[string, Partial<FileEntry>, Partial<FileEntry>, boolean | undefined]>([
    ['stored during the write, with the sent time', { modTime: 5n }, { modTime: 5n }, true],
    ['with another time', { modTime: 5n }, { modTime: 6n }, false],
    ['with another ETag', { modTime: 5n, etag: 'y' }, { modTime: 5n }, false],
    ['long after the start, without a time', {}, { storedTime: at(1002) }, true],
    ['maybe before the start, without a time', {}, { storedTime: at(1001) }, undefined],
    ['a version of the response', { version: 'v' }, { storedTime: at(1000) }, true],
    ['a version of long before', { version: 'v' }, { storedTime: at(900) }, false],
    ['shortly before the start', { modTime: 5n }, { modTime: 5n, storedTime: at(999) }, undefined],
    ['after the response', { modTime: 5n }, { modTime: 5n, storedTime: at(1011) }, undefined],
    ['in the future', {}, { storedTime: at(4600) }, undefined],
    ['stored again since', { storedTime: at(1003) }, { storedTime: at(1004) }, undefined],
    ['the same one', { storedTime: at(1003) }, { storedTime: at(1003) }, true],
    ['of another size, without an ETag', { etag: undefined, size: 2 } as never, {}, false],
    ['without an ETag', { etag: undefined, modTime: 5n } as never, { modTime: 5n }, undefined],
  ])('is told from what was there before: %s', (_, wrong, there, isOurs) => {
    const found = file({ storedTime: at(1000), ...there });
    expect(isWritten(found, file(wrong), at(1000))).toBe(isOurs);
  });

  it('is unknown without the start of the write', () => {
    expect(isWritten(file({ storedTime: at(1000) }), file({}), undefined)).toBeUndefined();
  });
});
