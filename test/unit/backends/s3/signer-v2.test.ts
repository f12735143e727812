import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signerV2 } from '../../../../src/backends/s3/signers.ts';
import { collectBody } from '../../../../src/core/body.ts';
import type { FileEntry, Remote } from '../../../../src/core/remote.ts';
import { startTestS3, type TestS3 } from '../../../servers/test-s3.ts';
import { OP, openS3, sourceOf } from '../../../support/open-s3.ts';

const KEYS = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};

describe('SignerV2', () => {
  it('presigns as in "Signing and Authenticating REST Requests" of Amazon', () => {
    const signable = { method: 'GET', path: '/photos/puppy.jpg', query: [], headers: {} };
    const bucket = { ...signable, hostBucket: 'johnsmith' };
    expect(signerV2.presignQuery(bucket, KEYS, '', 20, 1_175_139_600_000)).toBe(
      'AWSAccessKeyId=AKIAIOSFODNN7EXAMPLE&Expires=1175139620' +
        '&Signature=NpgCjnDzrM%2BWFzoENXmpNDUsSn8%3D',
    );
  });
});

describe('v2_auth', () => {
  let s3: TestS3;
  let remote: Remote;

  beforeAll(async () => {
    s3 = await startTestS3();
    const options = { v2_auth: 'true', upload_cutoff: '17Mi', chunk_size: '8Mi' };
    ({ remote } = await openS3(s3, 'bucket', { options }));
  });
  afterAll(async () => {
    await remote.close();
    await s3.stop();
  });

  it('has a signature of version 2 on every request, which the server accepts', async () => {
    const odd = sourceOf('dir with+spaces/ä%.txt', 'text');
    const metadata = { 'content-language': 'en', mine: 'a  b' };
    const written = await remote.write({ ...odd, metadata }, OP);
    const large = await remote.write(sourceOf('large', Buffer.alloc(18 * 1024 ** 2, 7)), OP);
    expect(large.size).toBe(18 * 1024 ** 2);
    const copy = await remote.can.copyFrom?.(remote, written, 'copy', OP);
    expect(copy?.size).toBe(4);
    const body = await remote.read(written, { offset: 1, length: 2 }, OP);
    expect((await collectBody(body, OP.signal)).toString()).toBe('ex');
    const { entries } = await remote.listPage('', undefined, OP);
    expect(entries.map(({ path }) => path)).toEqual(['copy', 'dir with+spaces', 'large']);
    await remote.delete([written, large], OP);
    await remote.can.cleanUp?.(0, OP);
    expect(s3.log.requests.length).toBeGreaterThan(10);
    for (const { headers } of s3.log.requests) {
      expect(headers['authorization']).toMatch(/^AWS test-access-key:/);
    }
  });

  it('makes links that the server accepts', async () => {
    const file = (await remote.stat('copy', OP)) as FileEntry;
    const link = (await remote.can.publicLink?.(file, 60_000, OP)) ?? '';
    expect(link).toMatch(/AWSAccessKeyId=.*&Expires=\d+&Signature=/);
    const answer = await new Promise<string>((resolve, reject) => {
      request(link, (response) => resolve(text(response)))
        .on('error', reject)
        .end();
    });
    expect(answer).toBe('text');
  });

  it('says what is wrong with a wrong key', async () => {
    const options = { v2_auth: 'true', secret_access_key: 'wrong' };
    const { remote: wrong } = await openS3(s3, 'bucket', { options });
    await expect(wrong.listPage('', undefined, OP)).rejects.toThrow(/signature|secret/i);
  });
});
