import { randomBytes } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { collectBody } from '../../../../src/core/body.ts';
import type { FileEntry, Remote } from '../../../../src/core/remote.ts';
import type { FileContents } from '../../../../src/vfs/contents/contents.ts';
import type { RecordedRequest } from '../../../servers/request-log.ts';
import { startTestS3, type TestS3 } from '../../../servers/test-s3.ts';
import { openS3, sourceOf } from '../../../support/open-s3.ts';
import { ContentsWorld, closeFile, op, UPDATE } from './contents-world.ts';

// A mount sends what was written of a large object. The store copies the rest, which was never read.

const MIB = 1024 ** 2;
const SIZE = 80 * MIB;
const AWS = { provider: 'AWS', region: 'us-east-1', force_path_style: 'true' };

/** A mount above a store with one large object. */
class LargeObject {
  readonly world = new ContentsWorld();
  readonly content = randomBytes(SIZE);
  readonly s3: TestS3;
  readonly remote: Remote;
  entry: FileEntry;

  constructor(s3: TestS3, remote: Remote, entry: FileEntry) {
    this.s3 = s3;
    this.remote = remote;
    this.entry = entry;
  }

  static async create(options: Readonly<Record<string, string>> = AWS): Promise<LargeObject> {
    const s3 = await startTestS3();
    const { remote } = await openS3(s3, 'bucket', { options });
    onTestFinished(async () => {
      await remote.close();
      await s3.stop();
    });
    await remote.makeDir('', op);
    const none: FileEntry = { kind: 'file', path: 'image', size: 0 };
    const large = new LargeObject(s3, remote, none);
    large.world.remote = remote;
    large.entry = await remote.write(sourceOf('image', large.content), op);
    s3.log.clear();
    return large;
  }

  /** Writes into the middle, as a program does that reads nothing, and closes. */
  async change(contents: FileContents, offset: number, bytes: Buffer): Promise<void> {
    const file = await contents.open('image', this.entry, UPDATE, op);
    await file.write(offset, bytes, op);
    bytes.copy(this.content, offset);
    await closeFile(file);
  }

  async stored(): Promise<Buffer> {
    const entry = await this.remote.stat('image', op);
    if (entry?.kind !== 'file') throw new Error('the object is gone');
    return collectBody(await this.remote.read(entry, undefined, op), op.signal);
  }

  /** The bytes that were sent and downloaded since the object was written. */
  traffic() {
    let [sent, downloaded] = [0, 0];
    for (const request of this.s3.log.requests) {
      if (request.operation === 'UploadPart') sent += Number(request.headers['content-length']);
      if (request.operation === 'PutObject') sent += Number(request.headers['content-length']);
      if (request.operation === 'GetObject') downloaded += rangeLength(request);
    }
    return { sent, downloaded };
  }
}

function rangeLength({ headers }: RecordedRequest): number {
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
  return from === undefined ? SIZE : Number(to) - Number(from) + 1;
}

describe('a large object of which a program has written 1 MB', () => {
  test('is uploaded as one part, beside ranges that the store copies', async () => {
    const large = await LargeObject.create();
    const contents = await large.world.open();
    await large.change(contents, 37 * MIB, randomBytes(MIB));
    await contents.drain(op);
    const { sent, downloaded } = large.traffic();
    expect(sent).toBeLessThanOrEqual(6 * MIB);
    expect(downloaded).toBeLessThanOrEqual(16 * MIB);
    expect((await large.stored()).equals(large.content)).toBe(true);
  });
});
