import { request as httpRequest } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { failFirst, partCopyRefused } from './fault.ts';
import { startTestS3, type TestS3 } from './test-s3.ts';

let s3: TestS3;
beforeEach(async () => {
  s3 = await startTestS3({ authKeys: [] });
  await ask('PUT', '/bucket');
  await ask('PUT', '/bucket/object', '0123456789');
  s3.log.clear();
});
afterEach(() => s3.stop());

interface Asked {
  readonly status: number;
  readonly text: string;
  readonly headers: Record<string, unknown>;
}

/** One request on a connection of its own; rejects where the answer does not come whole. */
function ask(method: string, path: string, body = '', timeoutMs = 60_000): Promise<Asked> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-length': Buffer.byteLength(body) };
    const options = { method, headers, agent: false, signal: AbortSignal.timeout(timeoutMs) };
    const request = httpRequest(`${s3.endpoint}${path}`, options, (answer) => {
      let text = '';
      answer.on('data', (piece: Buffer) => {
        text += piece.toString('latin1');
      });
      answer.on('error', (error) => reject(Object.assign(error, { received: text })));
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, text, headers: answer.headers }),
      );
    });
    request.on('error', reject);
    request.end(body);
  });
}

const get = () => ask('GET', '/bucket/object');

test('without faults it passes everything on, and counts', async () => {
  expect((await get()).text).toBe('0123456789');
  await ask('GET', '/bucket?list-type=2&prefix=a');
  expect(s3.log.counts()).toEqual({ GetObject: 1, ListObjectsV2: 1 });
  expect(s3.log.count('GetObject')).toBe(1);
  expect(s3.log.requests[1]).toMatchObject({
    method: 'GET',
    bucket: 'bucket',
    key: '',
    status: 200,
  });
  expect(s3.log.requests[1]?.query.get('prefix')).toBe('a');
});

test('status codes, for the first requests only', async () => {
  s3.setFaults(failFirst('GetObject', 2, { status: 503, retryAfter: 7 }));
  const first = await get();
  expect(first).toMatchObject({ status: 503, headers: { 'retry-after': '7' } });
  expect(first.text).toContain('<Code>SlowDown</Code>');
  expect((await ask('HEAD', '/bucket/object')).status).toBe(200);
  expect([(await get()).status, (await get()).status]).toEqual([503, 200]);
  expect(s3.log.count()).toBe(4);
});

test.each(['before', 'after', 'in-body'] as const)('a connection reset %s', async (reset) => {
  s3.setFaults(() => ({ reset }));
  await expect(get()).rejects.toMatchObject({ code: 'ECONNRESET' });
});

test('a write whose answer is lost was done all the same', async () => {
  s3.setFaults(failFirst('PutObject', 1, { reset: 'after' }));
  await expect(ask('PUT', '/bucket/lost', 'x')).rejects.toThrow();
  expect((await ask('GET', '/bucket/lost')).text).toBe('x');
});

test('a truncated answer', async () => {
  s3.setFaults(() => ({ truncate: true, afterBytes: 4 }));
  await expect(get()).rejects.toMatchObject({ message: 'aborted', received: '0123' });
});

test('a corrupted answer', async () => {
  s3.setFaults(() => ({ corrupt: true, at: 2 }));
  expect((await get()).text).toBe('0133456789');
});

test.each(['before', 'in-body'] as const)('a server that hangs %s', async (hang) => {
  s3.setFaults(() => ({ hang }));
  await expect(ask('GET', '/bucket/object', '', 200)).rejects.toThrow('abort');
});

test('latency delays one request and no other', async () => {
  s3.setFaults((_, n) => (n === 0 ? { latencyMs: 300 } : undefined));
  const order: string[] = [];
  const note = (name: string) => get().then(({ text }) => order.push(`${name} ${text}`));
  const late = note('late');
  while (s3.log.count() === 0) await new Promise((resolve) => setImmediate(resolve));
  await Promise.all([late, note('prompt')]);
  expect(order).toEqual(['prompt 0123456789', 'late 0123456789']);
});

test('the bytes of bodies are counted, by operation, whether or not something goes wrong', async () => {
  await ask('PUT', '/bucket/other', 'x'.repeat(100_000));
  s3.setFaults(failFirst('PutObject', 1, { latencyMs: 1 }));
  await ask('PUT', '/bucket/other', 'delayed');
  s3.setFaults(failFirst('PutObject', 1, { corruptUpload: true }));
  await ask('PUT', '/bucket/other', 'corrupted');
  await get();
  expect(s3.log.bodyBytes('PutObject')).toBe(100_000 + 'delayed'.length + 'corrupted'.length);
  expect(s3.log.bodyBytes('GetObject')).toBe(0);
});

test.each([
  [400, 'InvalidRequest'],
  [403, 'AccessDenied'],
  [412, 'PreconditionFailed'],
  [501, 'NotImplemented'],
  [503, 'SlowDown'],
] as const)('copies of parts are refused with %i, and parts are taken', async (status, code) => {
  s3.setFaults(partCopyRefused(status));
  const begun = await ask('POST', '/bucket/new?uploads');
  const id = /<UploadId>(.*?)</.exec(begun.text)?.[1];
  const path = `/bucket/new?uploadId=${id}&partNumber=1`;
  const headers = { 'x-amz-copy-source': '/bucket/object' };
  const refused = await fetch(`${s3.endpoint}${path}`, { method: 'PUT', headers });
  expect(refused.status).toBe(status);
  expect(await refused.text()).toContain(`<Code>${code}</Code>`);
  expect((await ask('PUT', path, 'sent')).status).toBe(200);
});
