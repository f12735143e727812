import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { collectBody } from '../../../../src/core/body.ts';
import type { FileEntry, Remote } from '../../../../src/core/remote.ts';
import type { FileContents } from '../../../../src/vfs/contents/contents.ts';
import type { VfsOptions } from '../../../../src/vfs/vfs-options.ts';
import { type Lie, withText } from '../../../servers/lies/lie.ts';
import { type LyingProxy, startLyingProxy } from '../../../servers/lies/lying-proxy.ts';
import type { RecordedRequest } from '../../../servers/request-log.ts';
import { startTestS3, type TestS3 } from '../../../servers/test-s3.ts';
import { openS3, sourceOf } from '../../../support/open-s3.ts';
import { randomFrom } from '../../../support/random-from.ts';
import { waitFor } from '../../../support/wait-for.ts';
import {
  ContentsWorld,
  closeFile,
  hastyClock,
  op,
  READ,
  readAll,
  UPDATE,
} from './contents-world.ts';

// A mount sends what was written of a large object. The store copies the rest, which was never read.

const MIB = 1024 ** 2;
const AWS = { provider: 'AWS', region: 'us-east-1', force_path_style: 'true' };
/** As `AWS`, for files above 16 MiB. */
const SMALLER = { ...AWS, delta: 'on' };

type S3Options = Readonly<Record<string, string>>;

/** A mount above a store with one large object. */
class LargeObject {
  readonly world = new ContentsWorld();
  /** What programs see. */
  content: Buffer;
  readonly s3: TestS3;
  readonly proxy: LyingProxy;
  readonly remote: Remote;
  /** Another client of the bucket. */
  readonly other: Remote;

  constructor(content: Buffer, s3: TestS3, proxy: LyingProxy, remotes: readonly Remote[]) {
    this.content = content;
    this.s3 = s3;
    this.proxy = proxy;
    [this.remote, this.other] = remotes as [Remote, Remote];
    this.world.remote = this.remote;
    this.world.clock = hastyClock;
  }

  static async create(size: number, options: S3Options): Promise<LargeObject> {
    const s3 = await startTestS3({ authKeys: [] });
    const proxy = await startLyingProxy(s3.endpoint);
    const keys = { endpoint: proxy.endpoint, accessKeyId: 'a', secretAccessKey: 'b' };
    const { remote } = await openS3(keys, 'bucket', { options, transport: { lowLevelRetries: 1 } });
    const { remote: other } = await openS3({ ...keys, endpoint: s3.endpoint }, 'bucket', {
      options: AWS,
    });
    onTestFinished(async () => {
      await remote.close();
      await other.close();
      await proxy.close();
      await s3.stop();
    });
    const large = new LargeObject(randomBytes(size), s3, proxy, [remote, other]);
    await other.makeDir('', op);
    await other.write(sourceOf('image', large.content), op);
    s3.log.clear();
    return large;
  }

  open(options: Partial<VfsOptions> = {}): Promise<FileContents> {
    return this.world.open({ lowLevelRetries: 1, ...options });
  }

  /** Writes as a program does that reads nothing, and closes. */
  async change(contents: FileContents, offset: number, bytes: Buffer): Promise<void> {
    const file = await contents.open('image', await this.entry(), UPDATE, op);
    await file.write(offset, bytes, op);
    this.#wrote(offset, bytes);
    await closeFile(file);
  }

  async truncate(contents: FileContents, size: number): Promise<void> {
    await contents.truncate('image', await this.entry(), size, op);
    const more = Buffer.alloc(Math.max(0, size - this.content.length));
    this.content = Buffer.concat([this.content.subarray(0, size), more]);
  }

  #wrote(offset: number, bytes: Buffer): void {
    const end = offset + bytes.length;
    const more = Buffer.alloc(Math.max(0, end - this.content.length));
    this.content = Buffer.concat([this.content, more]);
    bytes.copy(this.content, offset);
  }

  async entry(): Promise<FileEntry> {
    const entry = await this.other.stat('image', op);
    if (entry?.kind !== 'file') throw new Error('the object is gone');
    return entry;
  }

  async stored(): Promise<Buffer> {
    return collectBody(await this.other.read(await this.entry(), undefined, op), op.signal);
  }

  /** Whether the store has what programs see. */
  async isStored(): Promise<boolean> {
    return (await this.stored()).equals(this.content);
  }

  /** The bytes that were sent and downloaded since the object was written, and how many parts were copied. */
  traffic() {
    let [sent, downloaded, copies] = [0, 0, 0];
    for (const request of this.s3.log.requests) {
      const { operation, headers } = request;
      const isSent = operation === 'UploadPart' || operation === 'PutObject';
      if (isSent) sent += Number(headers['content-length']);
      if (operation === 'GetObject') downloaded += rangeLength(request);
      if (operation === 'UploadPartCopy') copies++;
    }
    return { sent, downloaded, copies };
  }

  /** The files that were put aside. */
  aside(): Buffer[] {
    const files = readdirSync(this.world.folder, { recursive: true, withFileTypes: true });
    return files
      .filter((file) => file.isFile() && /aside/.test(file.parentPath))
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name)));
  }

  errors(): string[] {
    return this.world.logLines().filter((line) => line.startsWith('error'));
  }
}

function rangeLength({ headers }: RecordedRequest): number {
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
  return from === undefined ? Number.NaN : Number(to) - Number(from) + 1;
}

const copyLie = (about: string, lie: Lie['tell']): Lie => ({
  about,
  of: ['UploadPartCopy'],
  tell: lie,
});

const LIES = {
  otherSum: copyLie('the CRC-32 of something else comes back', async ({ ask }) =>
    withText(await ask(), (text) =>
      text.replace(/<ChecksumCRC32>.*<\/ChecksumCRC32>/, '<ChecksumCRC32>y/Q5Jg==</ChecksumCRC32>'),
    ),
  ),
  noSum: copyLie('no CRC-32 comes back', async ({ ask }) =>
    withText(await ask(), (text) => text.replace(/<ChecksumCRC32>.*<\/ChecksumCRC32>/, '')),
  ),
  otherBytes: copyLie('other bytes are copied', ({ ask, request }) => {
    if (request.query.get('partNumber') === '1') return undefined;
    const range = String(request.headers['x-amz-copy-source-range']);
    const other = range.replace(/\d+/g, (place) => String(Number(place) - 1));
    return ask({ headers: { authorization: undefined, 'x-amz-copy-source-range': other } });
  }),
  noCondition: copyLie('the condition is ignored', ({ ask }) =>
    ask({ headers: { authorization: undefined, 'x-amz-copy-source-if-match': undefined } }),
  ),
};

test('a program that writes 1 MB into a large object has one part sent, and little downloaded', async () => {
  const large = await LargeObject.create(80 * MIB, AWS);
  const contents = await large.open();
  await large.change(contents, 37 * MIB, randomBytes(MIB));
  await contents.drain(op);
  const { sent, downloaded } = large.traffic();
  expect(sent).toBeLessThanOrEqual(6 * MIB);
  expect(downloaded).toBeLessThanOrEqual(16 * MIB);
  expect(await large.isStored()).toBe(true);
});

describe('a large object that a program changes', () => {
  test('is changed again, and read, from what the upload made of it', async () => {
    const large = await LargeObject.create(24 * MIB, SMALLER);
    const contents = await large.open();
    await large.change(contents, 9 * MIB, randomBytes(1000));
    await contents.drain(op);
    await large.change(contents, 20 * MIB, randomBytes(1000));
    await contents.drain(op);
    expect(large.traffic().sent).toBeLessThanOrEqual(12 * MIB);
    expect(await large.isStored()).toBe(true);
    const read = await readAll(contents, 'image', await large.entry());
    expect(read.equals(large.content)).toBe(true);
    expect(large.errors()).toEqual([]);
  });

  test('is sent in parts, too, if it was read before as a whole', async () => {
    const large = await LargeObject.create(24 * MIB, SMALLER);
    const contents = await large.open();
    await readAll(contents, 'image', await large.entry());
    await large.change(contents, 9 * MIB, randomBytes(1000));
    await contents.drain(op);
    expect(large.traffic().sent).toBeLessThanOrEqual(6 * MIB);
    expect(await large.isStored()).toBe(true);
  });

  test.each([
    ['appended to', 24 * MIB, 5000],
    ['written behind its end', 25 * MIB, 5000],
    ['written at its start', 0, 5000],
  ])('is right when it was %s', async (_, offset, length) => {
    const large = await LargeObject.create(24 * MIB, SMALLER);
    const contents = await large.open();
    await large.change(contents, offset, randomBytes(length));
    await contents.drain(op);
    expect(large.traffic().sent).toBeLessThanOrEqual(12 * MIB);
    expect(await large.isStored()).toBe(true);
  });

  test.each([18, 30])('is right when it was cut or extended to %d MiB', async (size) => {
    const large = await LargeObject.create(24 * MIB, SMALLER);
    const contents = await large.open();
    await large.truncate(contents, size * MIB);
    await contents.drain(op);
    expect(large.traffic().sent).toBeLessThanOrEqual(12 * MIB);
    expect(await large.isStored()).toBe(true);
  });

  test('is right when it was cut and extended again', async () => {
    const large = await LargeObject.create(24 * MIB, SMALLER);
    const contents = await large.open();
    await large.truncate(contents, 15 * MIB);
    await large.truncate(contents, 22 * MIB);
    await contents.drain(op);
    expect(await large.isStored()).toBe(true);
  });

  test('is downloaded and sent as a whole with --s3-delta off', async () => {
    const large = await LargeObject.create(24 * MIB, { ...AWS, delta: 'off' });
    const contents = await large.open();
    await large.change(contents, 9 * MIB, randomBytes(MIB));
    await contents.drain(op);
    expect(large.traffic()).toEqual({ sent: 24 * MIB, downloaded: 23 * MIB, copies: 0 });
    expect(await large.isStored()).toBe(true);
  });

  test.each([
    ['Minio', 6 * MIB],
    ['Ceph', 6 * MIB],
    ['Cloudflare', 24 * MIB],
  ])('is right at provider %s', async (provider, most) => {
    const large = await LargeObject.create(24 * MIB, { ...SMALLER, provider });
    const contents = await large.open();
    await large.change(contents, 9 * MIB, randomBytes(1000));
    await contents.drain(op);
    expect(large.traffic().sent).toBeLessThanOrEqual(most);
    expect(await large.isStored()).toBe(true);
    expect(large.errors()).toEqual([]);
  });
});

describe('a copy that is not proved', () => {
  test.each(Object.entries(LIES).filter(([name]) => name !== 'noCondition'))(
    'is replaced by a download and a whole upload: %s',
    async (_, lie) => {
      const large = await LargeObject.create(24 * MIB, SMALLER);
      const contents = await large.open();
      large.proxy.setLie({ lie });
      await large.change(contents, 9 * MIB, randomBytes(1000));
      await contents.drain(op);
      expect(large.proxy.told()).toBeGreaterThan(0);
      expect(large.traffic().sent).toBeGreaterThanOrEqual(24 * MIB);
      expect(await large.isStored()).toBe(true);
      expect(large.errors()).toEqual([]);
    },
  );
});

describe('an object that another client replaces', () => {
  const replaced = async (large: LargeObject, change: () => Promise<unknown>) => {
    const contents = await large.open();
    const written = randomBytes(1000);
    await large.change(contents, 9 * MIB, written);
    await change();
    await contents.drain(op);
    expect(large.errors()).toEqual([expect.stringMatching(/image: Not uploaded/)]);
    expect(large.aside().some((bytes) => bytes.subarray(9 * MIB).indexOf(written) === 0)).toBe(
      true,
    );
  };

  test('stays as that client wrote it, and the change is put aside', async () => {
    const large = await LargeObject.create(24 * MIB, SMALLER);
    const theirs = randomBytes(24 * MIB);
    await replaced(large, () => large.other.write(sourceOf('image', theirs), op));
    expect((await large.stored()).equals(theirs)).toBe(true);
  });

  test.each([
    ['a store that heeds the condition of a copy', undefined],
    ['a store that ignores it', LIES.noCondition],
  ])('while it is copied stays, too, in %s', async (_, lie) => {
    const large = await LargeObject.create(24 * MIB, SMALLER);
    const theirs = randomBytes(24 * MIB);
    large.proxy.setLie(lie && { lie });
    await replaced(large, async () => {
      large.s3.setFaults(({ operation }, n) =>
        operation === 'UploadPartCopy' && n === 0
          ? { until: large.other.write(sourceOf('image', theirs), op) }
          : undefined,
      );
    });
    expect((await large.stored()).equals(theirs)).toBe(true);
  });
});

/** Requests of an upload, before which, or after which, the program is killed. */
const STEPS = [
  ['HeadObject', 'before'],
  ['CreateMultipartUpload', 'after'],
  ['UploadPartCopy', 'before'],
  ['GetObject', 'before'],
  ['UploadPart', 'after'],
  ['CompleteMultipartUpload', 'before'],
  ['CompleteMultipartUpload', 'after'],
] as const;

const isDone = ({ operation, status }: RecordedRequest) =>
  operation === 'CompleteMultipartUpload' && status === 200;

describe('a mount that is killed', () => {
  test.each(STEPS)(
    'at a %s, %s it, leaves a change that the next mount uploads',
    async (at, when) => {
      const large = await LargeObject.create(24 * MIB, SMALLER);
      const contents = await large.open();
      const stop = new AbortController();
      let isDead = false;
      await large.change(contents, 9 * MIB, randomBytes(1000));
      large.s3.setFaults(({ operation }) => {
        if (isDead) return { reset: 'before' };
        if (operation !== at) return undefined;
        isDead = true;
        large.world.crash();
        stop.abort(new Error('killed'));
        return { reset: when };
      });
      await expect(contents.drain({ signal: stop.signal })).rejects.toThrow();
      await waitFor(() => isDead);
      // What the store has begun it finishes.
      if (at === 'CompleteMultipartUpload' && when === 'after')
        await waitFor(() => large.s3.log.requests.some(isDone));
      await contents.close();
      large.s3.setFaults(undefined);
      large.s3.log.clear();
      large.world.events.length = 0;
      const next = await large.open();
      await next.drain(op);
      expect(await large.isStored()).toBe(true);
      expect(large.traffic().sent).toBeLessThanOrEqual(6 * MIB);
      expect(large.errors()).toEqual([]);
      const read = await readAll(next, 'image', await large.entry());
      expect(read.equals(large.content)).toBe(true);
    },
  );
});

describe('an upload that arrives without a response', () => {
  /**
   * The store does what the first Complete says, and is not reached by its response and the next requests. Resolves when
   * `during`, which begins with it, is over.
   */
  function loseResponse(
    large: LargeObject,
    during: () => Promise<unknown> = async () => {},
    next = 3,
  ): Promise<unknown> {
    let [isLost, unreached] = [false, 0];
    const done = Promise.withResolvers<unknown>();
    large.s3.setFaults(({ operation }) => {
      if (operation === 'CompleteMultipartUpload' && !isLost) {
        isLost = true;
        during().then(done.resolve, done.reject);
        return { reset: 'after' };
      }
      return isLost && unreached++ < next ? { reset: 'before' } : undefined;
    });
    return done.promise;
  }

  test('is found by the next one', async () => {
    const large = await LargeObject.create(24 * MIB, SMALLER);
    const contents = await large.open();
    await large.change(contents, 9 * MIB, randomBytes(1000));
    void loseResponse(large);
    await contents.drain(op);
    expect(await large.isStored()).toBe(true);
    expect(large.errors().filter((line) => !/trying again/.test(line))).toEqual([]);
    expect(large.aside()).toEqual([]);
  });

  test('is found by a program that reads what was never read', async () => {
    const large = await LargeObject.create(24 * MIB, SMALLER);
    const contents = await large.open({ writeBack: 0 });
    const file = await contents.open('image', await large.entry(), READ, op);
    onTestFinished(() => file.release(op).catch(() => undefined));
    void loseResponse(large);
    await large.change(contents, 9 * MIB, randomBytes(1000));
    await waitFor(() => large.s3.log.requests.some(isDone));
    const read = async () => Buffer.from(await file.read(2 * MIB, 1000, op));
    // The store cannot be reached for a while.
    const bytes = await read().catch(read).catch(read).catch(read);
    expect(bytes.equals(large.content.subarray(2 * MIB, 2 * MIB + 1000))).toBe(true);
  });

  test('is found by the upload of a newer version', async () => {
    const large = await LargeObject.create(24 * MIB, SMALLER);
    const contents = await large.open({ writeBack: 0 });
    await large.entry();
    const over = loseResponse(large, () => large.change(contents, 2 * MIB, randomBytes(1000)));
    await large.change(contents, 9 * MIB, randomBytes(1000));
    await over;
    await contents.drain(op);
    expect(await large.isStored()).toBe(true);
    expect(large.aside()).toEqual([]);
  });

  /**
   * The response of an upload is lost; then the file is held, as for a new name. The look at it waits for `meanwhile`.
   */
  async function bringHere(large: LargeObject, meanwhile: () => Promise<unknown>) {
    const contents = await large.open({ writeBack: 0 });
    void loseResponse(large, undefined, Number.POSITIVE_INFINITY);
    await large.change(contents, 9 * MIB, randomBytes(1000));
    await waitFor(() => large.s3.log.requests.some(isDone));
    const over = Promise.withResolvers<void>();
    large.s3.setFaults(({ method }) => (method === 'HEAD' ? { until: over.promise } : undefined));
    const holding = contents.hold('image', op);
    await meanwhile();
    over.resolve();
    const letGo = await holding;
    onTestFinished(letGo);
    large.s3.log.clear();
    await contents.bringHere('image', op);
    return contents;
  }

  test('is found before its file is renamed', async () => {
    const large = await LargeObject.create(24 * MIB, SMALLER);
    const contents = await bringHere(large, async () => {});
    expect(large.s3.log.requests.filter(({ status }) => status === 412)).toEqual([]);
    const read = await readAll(contents, 'image', await large.entry());
    expect(read.equals(large.content)).toBe(true);
  });

  test('is not mistaken for what another client has written since', async () => {
    const large = await LargeObject.create(24 * MIB, SMALLER);
    const theirs = randomBytes(24 * MIB);
    const brought = bringHere(large, () => large.other.write(sourceOf('image', theirs), op));
    await expect(brought).rejects.toMatchObject({ code: 'source-changed' });
    expect((await large.stored()).equals(theirs)).toBe(true);
  });
});

test.each([1, 2, 3])('random programs leave on the store what they see (seed %d)', async (seed) => {
  const below = randomFrom(seed);
  const large = await LargeObject.create(20 * MIB, SMALLER);
  const contents = await large.open();
  for (let step = 0; step < 14; step++) {
    const { length } = large.content;
    switch (below(5)) {
      case 0:
        await large.truncate(contents, Math.max(MIB, length + below(6 * MIB) - 3 * MIB));
        break;
      case 1: {
        const file = await contents.open('image', await large.entry(), UPDATE, op);
        const from = below(length);
        const bytes = Buffer.from(await file.read(from, MIB, op));
        await closeFile(file);
        expect(bytes.equals(large.content.subarray(from, from + MIB))).toBe(true);
        break;
      }
      case 2:
        await contents.drain(op);
        expect(await large.isStored()).toBe(true);
        break;
      default:
        await large.change(contents, below(length + MIB), randomBytes(1 + below(2 * MIB)));
    }
  }
  await contents.drain(op);
  expect(await large.isStored()).toBe(true);
  const read = await readAll(contents, 'image', await large.entry());
  expect(read.equals(large.content)).toBe(true);
  expect(large.errors()).toEqual([]);
});
