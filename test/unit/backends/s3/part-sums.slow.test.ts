import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { partSumsDuring } from '../../../../src/backends/s3/upload/source-parts.ts';
import { collectBody } from '../../../../src/core/body.ts';
import type { FileEntry, ReadRange, Remote } from '../../../../src/core/remote.ts';
import { startTestS3, type TestS3 } from '../../../servers/test-s3.ts';
import { OP, openS3, sourceOf } from '../../../support/open-s3.ts';

// With one processor nothing is computed ahead.
vi.mock('node:os', async (original) => ({
  ...(await original<typeof import('node:os')>()),
  availableParallelism: () => 2,
}));

const MIB = 1024 ** 2;
const CONTENT = Buffer.alloc(17 * MIB + 5, 'several parts ');
const PARTS = [0, 5, 10, 15].map((at) => CONTENT.subarray(at * MIB, (at + 5) * MIB));

/** Reads ranges of `content`, as a disk does. */
const peekOf =
  (content: Buffer) =>
  async ({ offset, length = 0 }: ReadRange) =>
    content.subarray(offset, offset + length);

const never = () => new Promise<string>(() => {});

describe('checksums of parts while a file is hashed', () => {
  const file = { ...sourceOf('file', CONTENT), peek: peekOf(CONTENT) };

  it.each([true, false])('are those of its parts; signed: %s', async (isSigned) => {
    const sums = await partSumsDuring(never(), file, 5 * MIB, isSigned, OP);
    const wanted = PARTS.map((part, index) => {
      const sha256 = isSigned ? { sha256: hash('sha256', part) } : {};
      return [index + 1, { crc32: crc32(part), ...sha256 }];
    });
    expect([...sums]).toEqual(wanted);
  });

  it('are only those of the parts read until the file is hashed', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const peek = async (range: ReadRange) => {
      if (range.offset === 10 * MIB) resolve();
      return file.peek(range);
    };
    const sums = await partSumsDuring(promise, { ...file, peek }, 5 * MIB, true, OP);
    expect([...sums.keys()]).toEqual([1, 2]);
  });

  it('are not computed without a file on a disk, or if the hash fails', async () => {
    const { peek: _peek, ...remote } = file;
    expect((await partSumsDuring(never(), remote, 5 * MIB, true, OP)).size).toBe(0);
    const failed = Promise.reject(new Error('no hash'));
    expect((await partSumsDuring(failed, file, 5 * MIB, true, OP)).size).toBeLessThan(4);
    await expect(failed).rejects.toThrow('no hash');
  });
});

describe('an upload in parts of a file that is hashed first', () => {
  let s3: TestS3;
  let remote: Remote;

  beforeAll(async () => {
    s3 = await startTestS3();
    ({ remote } = await openS3(s3, 'bucket', { options: { upload_cutoff: '5Mi' } }));
    await remote.makeDir('', OP);
  });
  beforeEach(() => s3.log.clear());
  afterAll(async () => {
    await remote.close();
    await s3.stop();
  });

  /** Hashes until the parts are summed. */
  const hashOf = (content: Buffer) => async () => {
    await new Promise((resolve) => setTimeout(resolve, 500));
    return hash('md5', content);
  };
  const write = (name: string, peek: ReturnType<typeof peekOf>) =>
    remote.write({ ...sourceOf(name, CONTENT), hash: hashOf(CONTENT), peek }, OP);
  const partHeaders = (name: string) =>
    s3.log.requests
      .filter(({ operation }) => operation === 'UploadPart')
      .map(({ headers }) => headers[name]);

  it('sends the sums that were computed ahead', async () => {
    const written = await write('whole', peekOf(CONTENT));
    expect(written).toMatchObject({ size: CONTENT.length, hashes: { md5: hash('md5', CONTENT) } });
    expect(partHeaders('x-amz-content-sha256').sort()).toEqual(
      PARTS.map((part) => hash('sha256', part)).sort(),
    );
    const there = (await remote.stat('whole', OP)) as FileEntry;
    const stored = await collectBody(await remote.read(there, undefined, OP), OP.signal);
    expect(stored.equals(CONTENT)).toBe(true);
  });

  it('is refused if the content was another one then', async () => {
    const before = Buffer.from(CONTENT);
    before[12 * MIB] = 0;
    await expect(write('changed', peekOf(before))).rejects.toThrow();
    expect(partHeaders('x-amz-content-sha256')).toContain(
      hash('sha256', before.subarray(10 * MIB, 15 * MIB)),
    );
    expect(await remote.stat('changed', OP)).toBeUndefined();
  });

  it('computes the sums when it sends the parts if they could not be read ahead', async () => {
    const fails = async () => {
      throw new Error('cannot be read now');
    };
    await write('late', fails);
    expect(partHeaders('x-amz-content-sha256').sort()).toEqual(
      PARTS.map((part) => hash('sha256', part)).sort(),
    );
  });
});
