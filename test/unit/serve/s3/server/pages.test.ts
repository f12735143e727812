import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestS3, type TestS3 } from '../../../../servers/test-s3.ts';

let s3: TestS3;
beforeAll(async () => {
  s3 = await startTestS3({ authKeys: [] });
  await ask({ method: 'PUT', path: '/bucket' });
  await ask({ method: 'PUT', path: '/bucket/key' });
});
afterAll(() => s3.stop());

interface Asked {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

function ask({ method = 'GET', path, headers = {}, body = '' }: Asked) {
  const { port } = new URL(s3.endpoint);
  return new Promise<{ status: number; headers: Record<string, unknown> }>((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

test.each([
  ['127.0.0.1:1234', 200],
  ['[::1]:1234', 200],
  ['localhost', 200],
  ['LOCALHOST:80', 200],
  ['evil.example', 403],
  ['localhost.evil.example:8080', 403],
  ['127.0.0.1.evil.example', 403],
])('without keys, for the host %s', async (host, status) => {
  expect((await ask({ path: '/bucket/key', headers: { host } })).status).toBe(status);
});

test('without keys, a bucket in the name of the host', async () => {
  expect((await ask({ path: '/key', headers: { host: 'bucket.localhost:1' } })).status).toBe(200);
});

test('without keys, a page of another origin cannot send forms', async () => {
  const start = { method: 'POST', path: '/bucket/new?uploads' };
  expect((await ask({ ...start, headers: { origin: 'http://evil.example' } })).status).toBe(403);
  expect((await ask({ ...start, headers: { origin: 'null' } })).status).toBe(403);
  const { host } = new URL(s3.endpoint);
  expect((await ask({ ...start, headers: { host, origin: `http://${host}` } })).status).toBe(200);
});

test('a CORS configuration is applied', async () => {
  const origin = 'http://page.example';
  const preflight = {
    ...{ method: 'OPTIONS', path: '/bucket/key' },
    headers: { origin, 'access-control-request-method': 'GET' },
  };
  expect((await ask({ method: 'OPTIONS', path: '/bucket/key' })).status).toBe(400);
  expect((await ask(preflight)).status).toBe(403);
  const body = `<CORSConfiguration><CORSRule><AllowedOrigin>${origin}</AllowedOrigin><AllowedMethod>GET</AllowedMethod></CORSRule></CORSConfiguration>`;
  expect((await ask({ method: 'PUT', path: '/bucket?cors', body })).status).toBe(200);
  expect(await ask(preflight)).toMatchObject({
    status: 200,
    headers: { 'access-control-allow-origin': origin, 'access-control-allow-methods': 'GET' },
  });
  for (const [path, status] of [
    ['/bucket/key', 200],
    ['/bucket/gone', 404],
  ] as const) {
    expect(await ask({ path, headers: { origin } })).toMatchObject({
      ...{ status, headers: { 'access-control-allow-origin': origin } },
    });
  }
  const other = await ask({ path: '/bucket/key', headers: { origin: 'http://other.example' } });
  expect(other.headers['access-control-allow-origin']).toBeUndefined();
});
