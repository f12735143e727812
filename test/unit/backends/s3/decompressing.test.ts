import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collectBody, openWithDetails } from '../../../../src/core/body.ts';
import type { FileEntry, Remote } from '../../../../src/core/remote.ts';
import { startTestS3, type TestS3 } from '../../../servers/test-s3.ts';
import { OP, openS3, sourceOf } from '../../../support/open-s3.ts';

const TEXT = 'a line that repeats\n'.repeat(50_000);
const GZIP = gzipSync(TEXT);

let s3: TestS3;
/** The objects as they are stored. */
let stored: Remote;
/** The same with `decompress`. */
let remote: Remote;

beforeAll(async () => {
  s3 = await startTestS3();
  ({ remote: stored } = await openS3(s3, 'bucket'));
  ({ remote } = await openS3(s3, 'bucket', { options: { decompress: 'true' } }));
  const metadata = { 'content-encoding': 'gzip', 'content-language': 'en' };
  await stored.write({ ...sourceOf('log.gz', GZIP), metadata }, OP);
  await stored.write({ ...sourceOf('cut.gz', GZIP.subarray(0, 900)), metadata }, OP);
  await stored.write({ ...sourceOf('no.gz', 'not compressed'), metadata }, OP);
  await stored.write(sourceOf('plain.gz', GZIP), OP);
});
afterAll(async () => {
  await Promise.all([stored.close(), remote.close()]);
  await s3.stop();
});

async function fileAt(path: string): Promise<FileEntry> {
  const entry = await remote.stat(path, OP);
  if (entry?.kind !== 'file') throw new Error(`no file at ${path}`);
  return entry;
}

const textOf = async (file: FileEntry, range?: { offset: number; length?: number }) =>
  (await collectBody(await remote.read(file, range, OP), OP.signal)).toString();

describe('decompress', () => {
  it('lists encoded objects with an unknown size and without hashes, others as they are', async () => {
    const { entries } = await remote.listPage('', undefined, OP);
    const sizes = Object.fromEntries(
      entries.flatMap((entry) => (entry.kind === 'file' ? [[entry.path, entry.size]] : [])),
    );
    expect(sizes).toEqual({
      'cut.gz': -1,
      'log.gz': -1,
      'no.gz': -1,
      'plain.gz': GZIP.length,
    });
    const file = await fileAt('log.gz');
    expect(file).toMatchObject({ size: -1, modTime: 1_700_000_000_123_456_789n });
    expect(file).not.toHaveProperty('hashes');
    expect(file.metadata).toMatchObject({ 'content-language': 'en' });
    expect(file.metadata).not.toHaveProperty('content-encoding');
    expect(await remote.can.hash?.(file, 'md5', OP)).toBeUndefined();
  });

  it('reads what is in them, whole and in ranges', async () => {
    const file = await fileAt('log.gz');
    expect(await textOf(file)).toBe(TEXT);
    expect(await textOf(file, { offset: 19_990, length: 30 })).toBe(TEXT.slice(19_990, 20_020));
    expect(await textOf(file, { offset: TEXT.length - 5 })).toBe(TEXT.slice(-5));
    const { details } = remote.can;
    const read = details && (await openWithDetails(details, file, OP));
    expect(read?.file.size).toBe(-1);
    expect((await collectBody(read?.body ?? Buffer.alloc(0), OP.signal)).toString()).toBe(TEXT);
    expect(await collectBody(await stored.read(file, undefined, OP), OP.signal)).toEqual(GZIP);
    const plain = await fileAt('plain.gz');
    expect(await collectBody(await remote.read(plain, undefined, OP), OP.signal)).toEqual(GZIP);
  });

  it.each([
    ['cut.gz', 'unexpected end of file'],
    ['no.gz', 'incorrect header check'],
  ])('fails for %s, which is not what it says', async (path, why) => {
    await expect(textOf(await fileAt(path))).rejects.toMatchObject({
      code: 'corrupted',
      message: expect.stringContaining(why),
      path,
    });
  });
});
