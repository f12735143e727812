import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { RecordedRequest } from '../../../servers/request-log.ts';
import { makeS3World, type S3World } from '../../../support/s3-world.ts';

// Options as flags of a command line, by what they change in the requests.

let world: S3World;
beforeAll(async () => {
  world = await makeS3World();
  await writeFile(join(world.dir, 'a'), 'content');
  await writeFile(join(world.dir, 'big'), Buffer.alloc(6_000_000));
  const keys = 'aws_access_key_id = WORK\naws_secret_access_key = secret\n';
  await writeFile(join(world.dir, 'logins'), `[work]\n${keys}`);
});
afterAll(() => world.remove());
beforeEach(() => {
  world.s3.setFaults(undefined);
  world.s3.log.clear();
});

const run = (line: string, env: Readonly<Record<string, string>> = {}) =>
  world.run(line.split(' '), { env });

/** What the credentials of a request say: the key and the region. */
const loginOf = ({ headers }: RecordedRequest) =>
  /Credential=(\w+[\w-]*)\/\d+\/([\w-]+)\//.exec(headers.authorization ?? '')?.slice(1);

describe('a flag of S3', () => {
  test.each([
    ['--s3-region eu-west-3', 'test-access-key eu-west-3'],
    ['', 'test-access-key us-east-1'],
    [
      '--s3-env-auth --s3-access-key-id= --s3-profile work --s3-shared-credentials-file logins',
      'WORK us-east-1',
    ],
  ])('signs requests for its region and profile: %s', async (flags, login) => {
    await run(`lsf store:bucket ${flags} --retries 1`.trim().replace(/ +/g, ' '));
    const [first] = world.s3.log.requests;
    expect(first && loginOf(first)?.join(' ')).toBe(login);
  });

  test.each([
    ['--s3-location-constraint eu-west-3', true],
    ['--s3-acl private', false],
  ])('says where a new bucket is: %s', async (flags, isThere) => {
    const { code, stderr } = await run(`mkdir store:placed-${isThere} --dump bodies ${flags}`);
    expect(code).toBe(0);
    expect(stderr.includes('<LocationConstraint>eu-west-3</LocationConstraint>')).toBe(isThere);
  });

  test.each([
    ['--s3-leave-parts-on-error', true],
    ['--s3-leave-parts-on-error=false', false],
  ])('leaves the parts of a failed upload: %s', async (flag, isKept) => {
    world.s3.setFaults(({ operation }) =>
      operation === 'CompleteMultipartUpload' ? { status: 403, code: 'AccessDenied' } : undefined,
    );
    const once = '--retries 1 --low-level-retries 1';
    const upload = `copyto big store:bucket/${isKept} --s3-upload-cutoff 5M ${once}`;
    expect((await run(`${upload} ${flag}`)).code).not.toBe(0);
    const keys = await world.unfinishedUploads();
    expect(keys.includes(`${isKept}`)).toBe(isKept);
  });

  test.each([
    ['--s3-use-data-integrity-protections=true', true],
    ['--s3-use-data-integrity-protections=false', false],
  ])('sends checksums with an upload: %s', async (flag, isSent) => {
    await run(`copyto a store:bucket/${isSent} ${flag}`);
    const put = world.s3.log.requests.find(({ operation }) => operation === 'PutObject');
    const names = Object.entries(put?.headers ?? {}).flat();
    expect(names.some((text) => /x-amz-checksum-crc32/.test(`${text}`))).toBe(isSent);
  });

  test.each([
    ['--s3-list-versions-oldest-first=true', '3 2 1'],
    ['--s3-list-versions-oldest-first=false', '1 2 3'],
  ])('names versions of one moment by the order of the server: %s', async (flag, sizes) => {
    const bucket = `store:${sizes.replaceAll(' ', '-')}`;
    await run(`mkdir ${bucket}`);
    await run(`backend versioning ${bucket} Enabled`);
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now());
    for (const input of ['1', '22', '333']) await world.run(['rcat', `${bucket}/f`], { input });
    await run(`deletefile ${bucket}/f`);
    clock.mockRestore();
    const { stdout } = await run(`lsf ${bucket} --s3-versions --format s ${flag}`);
    expect(stdout.toString().trim().replaceAll('\n', ' ')).toBe(sizes);
  });

  test.each([
    ['--s3-decompress', 'content'],
    ['--s3-decompress=false', gzipSync('content').toString()],
  ])('reads what is stored compressed: %s', async (flag, content) => {
    await writeFile(join(world.dir, 'packed'), gzipSync('content'));
    const header = ['--header-upload', 'Content-Encoding: gzip'];
    await world.run(['copyto', 'packed', 'store:bucket/packed', ...header]);
    const { stdout } = await run(`cat store:bucket/packed ${flag}`);
    expect(stdout.toString()).toBe(content);
  });

  const POINT = 'arn:aws:s3:us-west-2:1:accesspoint:x';
  const DIRECTORIES = 'photos--use1-az5--x-s3';

  test.each([
    ['--s3-use-accelerate-endpoint', 'photos', 'photos.s3-accelerate.amazonaws.com'],
    ['--s3-use-dual-stack', 'photos', 'photos.s3.dualstack.eu-west-1.amazonaws.com'],
    ['--s3-force-path-style=true', 'photos', 's3.eu-west-1.amazonaws.com'],
    ['--s3-force-path-style=false', 'photos', 'photos.s3.eu-west-1.amazonaws.com'],
    [
      '--s3-directory-bucket',
      DIRECTORIES,
      `${DIRECTORIES}.s3express-use1-az5.eu-west-1.amazonaws.com`,
    ],
    ['--s3-directory-bucket=false', DIRECTORIES, `${DIRECTORIES}.s3.eu-west-1.amazonaws.com`],
    ['--s3-use-arn-region', POINT, 'x-1.s3-accesspoint.us-west-2.amazonaws.com'],
    ['--s3-use-arn-region=false', POINT, undefined],
  ])("chooses Amazon's endpoint: %s %s", async (flag, bucket, host) => {
    const connections: string[] = [];
    const proxy = createServer().on('connect', ({ url = '' }, socket) => {
      connections.push(url);
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    });
    const url = await started(proxy);
    const keys = '--s3-access-key-id a --s3-secret-access-key b --s3-region eu-west-1';
    const line = `lsf :s3:${bucket} ${keys} --retries 1 --low-level-retries 1 ${flag}`;
    const { code } = await run(line, { HTTPS_PROXY: url });
    await stopped(proxy);
    expect([code === 0, connections[0]]).toEqual([false, host && `${host}:443`]);
  });
});

describe('a login by flags', () => {
  const seen: { readonly headers: IncomingHttpHeaders; readonly form: Record<string, string> }[] =
    [];
  let login: Server;
  let url: string;
  beforeAll(async () => {
    login = createServer(async (request, response) => {
      const form = Object.fromEntries(new URLSearchParams(await text(request)));
      seen.push({ headers: request.headers, form });
      const body = { access_token: 'the-token', expires_in: 3600 };
      response.end(request.url === '/identity/token' ? JSON.stringify(body) : '');
    });
    url = await started(login);
  });
  afterAll(() => stopped(login));
  beforeEach(() => {
    seen.length = 0;
  });

  test('for a role names its session, external ID and duration', async () => {
    const role = '--s3-role-arn arn:aws:iam::1:role/r --s3-role-session-name me';
    const more = '--s3-role-external-id outside --s3-role-session-duration 20m';
    const line = `lsf store:bucket ${role} ${more} --retries 1`;
    await run(`${line} --low-level-retries 1 --s3-sts-endpoint ${url}`);
    expect(seen[0]?.form).toMatchObject({
      Action: 'AssumeRole',
      RoleArn: 'arn:aws:iam::1:role/r',
      RoleSessionName: 'me',
      ExternalId: 'outside',
      DurationSeconds: '1200',
    });
  });

  test('at IBM Cloud sends the API key to its server, and the token with the instance', async () => {
    const ibm = `--s3-ibm-api-key the-key --s3-ibm-iam-endpoint ${url}`;
    const store = `:s3,provider=IBMCOS:bucket --s3-endpoint ${url}`;
    const line = `lsf ${store} ${ibm} --s3-ibm-resource-instance-id crn:v1::x`;
    await run(`${line} --retries 1 --low-level-retries 1`);
    expect(seen[0]?.form).toMatchObject({ apikey: 'the-key' });
    expect(seen[1]?.headers).toMatchObject({
      authorization: 'Bearer the-token',
      'ibm-service-instance-id': 'crn:v1::x',
    });
  });
});

/** Starts a server; resolves to its URL. */
async function started(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function stopped(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}
