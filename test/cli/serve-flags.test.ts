import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, rename, utimes, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect as connectSecurely } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ALL, testOfAll } from '../support/in-part.ts';
import { makeSyncerWorld, type Running, type SyncerWorld } from '../support/run-syncer.ts';
import {
  RSA_CERTIFICATE,
  RSA_KEY,
  SELF_SIGNED_CERTIFICATE,
  SELF_SIGNED_KEY,
} from '../support/self-signed.ts';
import { waitFor } from '../support/wait-for.ts';
import { startServe } from './start-serve.ts';

// Flags of `serve http` and `serve webdav` by their effect on clients, as in rclone 1.75.

let world: SyncerWorld;
beforeEach(async () => {
  world = await makeSyncerWorld();
  await mkdir(join(world.dir, 'files/d'), { recursive: true });
  await writeFile(join(world.dir, 'files/a.txt'), 'hello');
  await writeFile(join(world.dir, 'files/d/b'), 'below');
  await writeFile(join(world.dir, 'files/link.rclonelink'), 'a.txt');
  await utimes(join(world.dir, 'files/a.txt'), 1_600_000_000, 1_600_000_000);
});
afterEach(() => world.remove());

/** A request, and what `seen` says of its response. */
interface Asked {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status?: number;
  readonly body?: string | RegExp;
  /** Headers of the response; `null` for one that is absent. */
  readonly seen?: Readonly<Record<string, string | null>>;
}

const CORS = { origin: 'https://pages.example' };
const PREFLIGHT = { ...CORS, 'access-control-request-method': 'GET' };
const LAST = 'last-modified';

const PROTOCOLS = ['http', 'webdav'];

// Node looks twice a minute for requests that do not come: both servers wait for that while the other tests run.
let waiting: SyncerWorld;
const ends = new Map<string, Promise<string>>();
beforeAll(async () => {
  waiting = await makeSyncerWorld();
  for (const protocol of PROTOCOLS) {
    const flags = ['.', '--server-read-timeout', '300ms'];
    const { endpoint } = await startServe(waiting, flags, protocol);
    const socket = connect(Number(new URL(endpoint).port), '127.0.0.1');
    socket.write('GET /a.txt HTTP/1.1\r\nHost: x\r\n');
    ends.set(protocol, text(socket));
  }
});
afterAll(() => waiting.remove());

describe.each(PROTOCOLS)('serve %s', (protocol) => {
  const serve = (...flags: readonly string[]) => startServe(world, ['files', ...flags], protocol);
  const testOnce = protocol === PROTOCOLS[0] ? test : testOfAll;

  test.each<[flags: string, requests: readonly Asked[]]>([
    [
      '',
      [
        {
          path: '/a.txt',
          headers: CORS,
          body: 'hello',
          seen: { 'access-control-allow-origin': null },
        },
        { path: '/A.TXT', status: 404 },
        { path: '/link', status: 404 },
        { path: '/a.txt', headers: { range: 'bytes=1-2' }, status: 206, body: 'el' },
        { path: '/a.txt', seen: { [LAST]: 'Sun, 13 Sep 2020 12:26:40 GMT' } },
        { path: '/a.txt.meta', status: 404 },
      ],
    ],
    [
      '--allow-origin https://pages.example --vfs-case-insensitive --no-modtime --no-seek',
      [
        {
          path: '/a.txt',
          headers: CORS,
          seen: { 'access-control-allow-origin': CORS.origin, [LAST]: null },
        },
        {
          path: '/a.txt',
          method: 'OPTIONS',
          headers: PREFLIGHT,
          seen: { 'access-control-max-age': '86400' },
        },
        { path: '/A.TXT', body: 'hello' },
        { path: '/D/B', body: 'below' },
        { path: '/a.txt', headers: { range: 'bytes=1-2' }, body: 'hello' },
      ],
    ],
    [
      '--disable-dir-list --vfs-links --vfs-metadata-extension .meta',
      [
        { path: '/a.txt', body: 'hello' },
        { path: '/link', body: 'hello' },
        { path: '/link.rclonelink', status: 404 },
        { path: '/link.meta', body: /"mode": "100644"/ },
        { path: '/a.txt.meta', body: /"mtime": "2020-09-13T12:26:40Z"/ },
        { path: '/?download=zip', status: 404 },
        { path: '/d/?download=zip', status: 404 },
        ...(protocol === 'http'
          ? [
              { path: '/', status: 404 },
              { path: '/d/', status: 404 },
            ]
          : []),
      ],
    ],
    [
      '--user-from-header X-User',
      [
        { path: '/a.txt', status: 401 },
        { path: '/a.txt', headers: { 'x-user': 'ann' }, body: 'hello' },
      ],
    ],
    [
      '--max-header-bytes 1000',
      [
        { path: '/a.txt', headers: { x: 'x'.repeat(2000) }, body: 'hello' },
        { path: '/a.txt', headers: { x: 'x'.repeat(9000) }, status: 431 },
      ],
    ],
  ])('%s', async (flags, requests) => {
    const { running, endpoint } = await serve(...flags.split(' ').filter((word) => word !== ''));
    for (const { status = 200, body, seen = {}, ...asked } of requests) {
      const answer = await ask(endpoint, asked);
      expect(answer.status, JSON.stringify(asked).slice(0, 200)).toBe(status);
      if (body !== undefined) expect(answer.body).toMatch(body);
      for (const [name, value] of Object.entries(seen)) {
        expect(answer.headers[name] ?? null, name).toBe(value);
      }
    }
    await stop(running);
  });

  testOnce('--min-tls-version refuses older ones', async () => {
    await writeFile(join(world.dir, 'cert'), SELF_SIGNED_CERTIFICATE);
    await writeFile(join(world.dir, 'key'), SELF_SIGNED_KEY);
    const shake = async (...flags: readonly string[]) => {
      const { running, endpoint } = await serve('--cert', 'cert', '--key', 'key', ...flags);
      const to = { host: '127.0.0.1', port: Number(new URL(endpoint).port) };
      const socket = connectSecurely({ ...to, maxVersion: 'TLSv1.2', rejectUnauthorized: false });
      const how = await new Promise((resolve) => {
        socket.on('secureConnect', () => resolve(socket.getProtocol()));
        socket.on('error', () => resolve('refused'));
      });
      socket.destroy();
      await stop(running);
      return how;
    };
    expect(await shake()).toBe('TLSv1.2');
    expect(await shake('--min-tls-version', 'tls1.3')).toBe('refused');
  });

  testOnce(
    'a renewed certificate is served without a restart, and a broken one is not',
    async () => {
      const write = async (cert: string, key: string) => {
        for (const [name, text] of Object.entries({ cert, key })) {
          await writeFile(join(world.dir, 'new'), text);
          await rename(join(world.dir, 'new'), join(world.dir, name));
        }
      };
      await write(SELF_SIGNED_CERTIFICATE, SELF_SIGNED_KEY);
      const flags = ['--cert', 'cert', '--key', 'key', '--client-ca', 'cert'];
      const { running, endpoint } = await serve(...flags);
      const to = {
        host: '127.0.0.1',
        port: Number(new URL(endpoint).port),
        ALPNProtocols: ['http/1.1'],
      };
      const served = async () => {
        const socket = connectSecurely({ ...to, rejectUnauthorized: false }).on('error', () => {});
        await once(socket, 'secureConnect');
        const { serialNumber } = socket.getPeerCertificate();
        socket.destroy();
        return serialNumber;
      };
      const first = await served();
      expect(first).toBe(new X509Certificate(SELF_SIGNED_CERTIFICATE).serialNumber);
      await write(RSA_CERTIFICATE, SELF_SIGNED_KEY);
      const stays =
        /ERROR : cannot use --cert cert with --key key: .*; the certificate loaded before stays/;
      await waitFor(() => stays.test(running.seen.stderr), running.ended);
      expect(await served()).toBe(first);
      await write(RSA_CERTIFICATE, RSA_KEY);
      const loaded = 'NOTICE: Loaded the renewed certificate cert';
      await waitFor(() => running.seen.stderr.includes(loaded), running.ended);
      expect(await served()).toBe(new X509Certificate(RSA_CERTIFICATE).serialNumber);
      // Clients are accepted by the renewed authority.
      const client = { cert: RSA_CERTIFICATE, key: RSA_KEY, ca: RSA_CERTIFICATE };
      const status = await new Promise((resolve, reject) => {
        secureRequest(endpoint, { ...client, agent: false }, (response) => {
          response.resume().on('end', () => resolve(response.statusCode));
        })
          .on('error', reject)
          .end();
      });
      expect(status).toBe(200);
      await stop(running);
    },
  );

  testOnce('--server-write-timeout ends a response that nobody reads', async () => {
    await writeFile(join(world.dir, 'files/large'), Buffer.alloc(64 * 1024 * 1024));
    const { running, endpoint } = await serve('-v', '--server-write-timeout', '300ms');
    const socket = connect(Number(new URL(endpoint).port), '127.0.0.1');
    socket.pause();
    socket.write('GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await expect.poll(() => running.seen.stderr).toContain('GET /large');
    const closed = new Promise((resolve) => socket.on('close', resolve).on('error', resolve));
    // What was on its way can still be read.
    let size = 0;
    socket.on('data', (chunk) => {
      size += chunk.length;
    });
    socket.resume();
    await closed;
    expect(size).toBeLessThan(64 * 1024 * 1024);
    await stop(running);
  });
});

test.each(ALL ? PROTOCOLS : [])(
  '--server-read-timeout of serve %s ends a request that does not come',
  async (protocol) => {
    expect(await ends.get(protocol)).toMatch(/^(HTTP\/1.1 408 |$)/);
  },
);

async function stop(running: Running): Promise<void> {
  running.kill('SIGTERM');
  await running.ended;
}

/** A request for a path as it is. */
function ask(origin: string, { path, method = 'GET', headers = {} }: Asked) {
  const { hostname: host, port } = new URL(origin);
  return new Promise<{ status: number; body: string; headers: Record<string, unknown> }>(
    (resolve, reject) => {
      request({ host, port, path, method, headers }, (response) => {
        const { statusCode: status = 0 } = response;
        text(response).then((body) => resolve({ status, body, headers: response.headers }), reject);
      })
        .on('error', reject)
        .end();
    },
  );
}
