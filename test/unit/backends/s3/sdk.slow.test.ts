import {
  CreateBucketCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collectBody } from '../../../../src/core/body.ts';
import type { FileEntry, Remote } from '../../../../src/core/remote.ts';
import { sdkClient } from '../../../servers/sdk-client.ts';
import { startTestS3, type TestS3 } from '../../../servers/test-s3.ts';
import { OP, openS3, sourceOf } from '../../../support/open-s3.ts';

// The thin client and Amazon's own, on the same server: what one writes the other reads, and both see the same.

const KEYS = [
  'plain',
  'dir/with space+%&?#',
  'é😀/ünï',
  'a//b',
  '/lead',
  'quo\'te"<>&amp;',
  'tilde~*()!',
];

let s3: TestS3;
let sdk: S3Client;
let thin: Remote;

beforeAll(async () => {
  s3 = await startTestS3();
  sdk = sdkClient(s3);
  await sdk.send(new CreateBucketCommand({ Bucket: 'bucket' }));
  ({ remote: thin } = await openS3(s3, 'bucket'));
});
afterAll(async () => {
  sdk.destroy();
  await thin.close();
  await s3.stop();
});

const file = (path: string): FileEntry => ({ kind: 'file', path, size: -1 });

describe('the thin client and the SDK', () => {
  it.each(KEYS)('read what the other has written: %s', async (key) => {
    await thin.write(sourceOf(key, `thin ${key}`), OP);
    const got = await sdk.send(new GetObjectCommand({ Bucket: 'bucket', Key: key }));
    expect(await got.Body?.transformToString()).toBe(`thin ${key}`);
    expect(got.Metadata).toEqual({ mtime: '1700000000.123456789' });

    const Body = `sdk ${key}`;
    const Metadata = { mtime: '1.5' };
    const put = new PutObjectCommand({
      Bucket: 'bucket',
      Key: key,
      Body,
      Metadata,
      ContentType: 'a/b',
    });
    const { ETag } = await sdk.send(put);
    const details = await thin.can.details?.read(file(key), OP);
    expect(details).toMatchObject({ size: Buffer.byteLength(Body), mimeType: 'a/b' });
    expect(details?.modTime).toBe(1_500_000_000n);
    expect(`"${details?.etag}"`).toBe(ETag);
    expect(String(await collectBody(await thin.read(file(key), undefined, OP), OP.signal))).toBe(
      Body,
    );
  });

  it('tell the same of every object', async () => {
    for (const key of KEYS) {
      await thin.write(sourceOf(key, key), OP);
      const head = await sdk.send(new HeadObjectCommand({ Bucket: 'bucket', Key: key }));
      const details = await thin.can.details?.read(file(key), OP);
      expect(details?.size).toBe(head.ContentLength);
      expect(details?.mimeType).toBe(head.ContentType);
      expect(details?.storedTime).toBe(BigInt(head.LastModified?.getTime() ?? 0) * 1_000_000n);
    }
  });

  it('verify what the other protected by checksums', async () => {
    const options = { use_data_integrity_protections: 'true', upload_cutoff: '18Mi' };
    const { remote: protecting } = await openS3(s3, 'bucket', { options });
    const sizes = { whole: 5, trailing: 17 * 1024 ** 2, parts: 18 * 1024 ** 2 };
    for (const [key, size] of Object.entries(sizes)) {
      const content = Buffer.alloc(size, key);
      await protecting.write(sourceOf(key, content), OP);
      // The SDK checks the CRC-32 that it gets while it reads.
      const mode = { ChecksumMode: 'ENABLED' } as const;
      const got = await sdk.send(new GetObjectCommand({ Bucket: 'bucket', Key: key, ...mode }));
      expect(got.ChecksumCRC32).toMatch(/^[\w+/]{6}==$/);
      expect(got.ChecksumType).toBe('FULL_OBJECT');
      expect(content.equals((await got.Body?.transformToByteArray()) ?? Buffer.of())).toBe(true);
    }
    const put = { Bucket: 'bucket', Key: 'by-sdk', Body: 'x', ChecksumAlgorithm: 'CRC32' } as const;
    await sdk.send(new PutObjectCommand(put));
    expect(String(await protecting.read(file('by-sdk'), undefined, OP))).toBe('x');
    await protecting.close();
  });

  it('list the same, page by page', async () => {
    const list = new ListObjectsV2Command({ Bucket: 'bucket' });
    const { Contents = [] } = await sdk.send(list);
    const { remote: paged } = await openS3(s3, 'bucket', { options: { list_chunk: '2' } });
    const files: FileEntry[] = [];
    let cursor: string | undefined;
    do {
      const page = await paged.can.listTreePage?.('', cursor, OP);
      for (const entry of page?.entries ?? []) if (entry.kind === 'file') files.push(entry);
      cursor = page?.cursor;
    } while (cursor !== undefined);
    expect(
      files.map(({ path, size, etag, storedTime }) => ({ path, size, etag, storedTime })),
    ).toEqual(
      Contents.map(({ Key, Size, ETag, LastModified }) => ({
        path: Key,
        size: Size,
        etag: ETag?.slice(1, -1),
        storedTime: BigInt(LastModified?.getTime() ?? 0) * 1_000_000n,
      })),
    );
  });
});
