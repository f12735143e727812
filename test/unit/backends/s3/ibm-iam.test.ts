import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readSettings } from '../../../../src/backends/s3/settings.ts';
import { OP, openS3, sourceOf } from '../../../support/open-s3.ts';

/** What came: `POST /identity/token`, with the form in its headers. */
const seen: { readonly what: string; readonly headers: IncomingHttpHeaders & { form?: string } }[] =
  [];
let refusals: [status: number, message: string][] = [];
let server: Server;
let endpoint: string;

beforeEach(async () => {
  seen.length = 0;
  refusals = [];
  let tokens = 0;
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method, url = '', headers } = request;
    const form = Buffer.concat(chunks).toString();
    seen.push({ what: `${method} ${url.replace(/\?.*/, '')}`, headers: { ...headers, form } });
    if (!url.endsWith('/identity/token')) {
      response.writeHead(200, { etag: '"9dd4e461268c8034f5c8564e155c67a6"' });
      response.end();
      return;
    }
    const [status, errorMessage] = refusals.shift() ?? [200];
    const token = { access_token: `token-${++tokens}`, expires_in: 3600 };
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(status === 200 ? token : { errorMessage }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
});

const LOGIN = {
  provider: 'IBMCOS',
  ibm_api_key: 'the+key',
  ibm_resource_instance_id: 'crn:v1::x',
  access_key_id: '',
  secret_access_key: '',
};

const opened = (now: () => number = Date.now, options: Record<string, string> = {}) =>
  openS3({ endpoint, accessKeyId: '', secretAccessKey: '' }, 'bucket', {
    options: { ...LOGIN, ibm_iam_endpoint: endpoint, ...options },
    now,
  });
const whats = () => seen.map(({ what }) => what);

it('sends a token of the API key, which is used until shortly before it expires', async () => {
  let now = 1_700_000_000_000;
  const { remote } = await opened(() => now);
  const write = () => remote.write(sourceOf('x', 'x'), OP);
  await Promise.all([write(), write()]);
  expect(whats()).toEqual(['POST /identity/token', 'PUT /bucket/x', 'PUT /bucket/x']);
  expect(Object.fromEntries(new URLSearchParams(seen[0]?.headers.form))).toEqual({
    grant_type: 'urn:ibm:params:oauth:grant-type:apikey',
    response_type: 'cloud_iam',
    apikey: 'the+key',
  });
  expect(seen[1]?.headers).toMatchObject({
    authorization: 'Bearer token-1',
    'ibm-service-instance-id': 'crn:v1::x',
    'content-md5': 'ndTkYSaMgDT1yFZOFVxnpg==',
  });
  now += 50 * 60_000;
  await write();
  expect(seen.at(-1)?.headers.authorization).toBe('Bearer token-1');
  now += 6 * 60_000;
  await write();
  expect(seen.at(-1)?.headers.authorization).toBe('Bearer token-2');
  await remote.close();
});

it('tries again if the server is busy, and not if it refuses the key', async () => {
  refusals = [
    [503, 'busy'],
    [429, 'slow down'],
  ];
  const { remote } = await opened();
  await remote.write(sourceOf('x', 'x'), OP);
  expect(whats()).toEqual([...Array(3).fill('POST /identity/token'), 'PUT /bucket/x']);
  await remote.close();
  refusals = [[400, 'Provided API key could not be found.']];
  const { remote: other } = await opened();
  await expect(other.write(sourceOf('x', 'x'), OP)).rejects.toMatchObject({
    code: 'sign-in',
    message: expect.stringMatching(
      /^remote "test": ibm_api_key gives no token: 127.* issued none: Provided API key could/,
    ),
  });
  expect(refusals).toEqual([]);
  expect(whats()).toHaveLength(5);
  await other.close();
});

it('makes no links: a token is for one account only', async () => {
  const { remote } = await opened();
  const link = remote.can.publicLink?.({ kind: 'file', path: 'x', size: 1 }, undefined, OP);
  await expect(link).rejects.toMatchObject({ code: 'unsupported' });
  await remote.close();
});

it('reads its options, and sends tokens to IBM only', () => {
  const read = (options: Record<string, string>) =>
    readSettings('r', { ...LOGIN, endpoint: 'https://s3', ...options }, {});
  expect(read({}).ibm?.tokenUrl.href).toBe('https://iam.cloud.ibm.com/identity/token');
  for (const given of ['https://h/a/', 'https://h/a/identity/token', 'h/a']) {
    expect(read({ ibm_iam_endpoint: given }).ibm?.tokenUrl.href).toBe('https://h/a/identity/token');
  }
  expect(read({ ibm_api_key: '' }).ibm).toBeUndefined();
  expect(() => read({ provider: 'Minio' })).toThrow('ibm_api_key: needs provider = IBMCOS');
  expect(() => read({ ibm_resource_instance_id: '' })).toThrow('ibm_resource_instance_id');
  expect(() => read({ ibm_iam_endpoint: 'ftp://h' })).toThrow('ibm_iam_endpoint');
  expect(() => read({ role_arn: 'arn:x' })).toThrow('set no role_arn');
});
