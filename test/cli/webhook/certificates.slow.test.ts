import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  RSA_CERTIFICATE,
  RSA_KEY,
  SELF_SIGNED_CERTIFICATE,
  SELF_SIGNED_KEY,
} from '../../support/self-signed.ts';
import { waitFor } from '../../support/wait-for.ts';
import { startWebhook, type WebhookServer } from '../../support/webhook-beside.ts';

const FIRST = { cert: SELF_SIGNED_CERTIFICATE, key: SELF_SIGNED_KEY };
const RENEWED = { cert: RSA_CERTIFICATE, key: RSA_KEY };
const serialOf = (pem: string) => new X509Certificate(pem).serialNumber;

let cwd: string;
let server: WebhookServer;
const sockets: TLSSocket[] = [];
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'webhook-certificates-'));
  await writeFile(join(cwd, 'hooks.json'), '[{"id":"a","execute-command":"/bin/true"}]');
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.kill('SIGKILL');
  await server.ended;
  await rm(cwd, { recursive: true, force: true });
});

async function write(place: string, { cert, key }: typeof FIRST): Promise<void> {
  await mkdir(join(cwd, place), { recursive: true });
  await writeFile(join(cwd, place, 'c.pem'), cert);
  await writeFile(join(cwd, place, 'k.pem'), key);
}

async function start(place: string, ...args: string[]): Promise<void> {
  const pair = ['-cert', join(place, 'c.pem'), '-key', join(place, 'k.pem')];
  server = await startWebhook('ours', { cwd, args: ['-secure', '-verbose', ...pair, ...args] });
}

async function open(): Promise<TLSSocket> {
  const place = { host: '127.0.0.1', port: server.port, rejectUnauthorized: false };
  const socket = connect(place).on('error', () => {});
  sockets.push(socket);
  await once(socket, 'secureConnect');
  return socket;
}

async function served(): Promise<string> {
  const socket = await open();
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}

const logged = (text: string) => waitFor(() => server.seen.stderr.includes(text), server.ended);

/** Ways in which the files of a certificate become others. */
const REPLACED = {
  'written in place': async () => write('live', RENEWED),
  'replaced by a rename': async () => {
    await write('new', RENEWED);
    for (const name of ['c.pem', 'k.pem']) {
      await rename(join(cwd, 'new', name), join(cwd, 'live', name));
    }
  },
  'links that lead to others now, as of certbot': async () => {
    for (const name of ['c.pem', 'k.pem'])
      await rename(join(cwd, `next-${name}`), join(cwd, 'live', name));
  },
};

test.each([
  ['SIGHUP', 'written in place'],
  ['SIGUSR1', 'replaced by a rename'],
  ['-hotreload', 'written in place'],
  ['-hotreload', 'replaced by a rename'],
  ['-hotreload', 'links that lead to others now, as of certbot'],
] as const)('a renewed certificate is served after %s: %s', async (how, change) => {
  await write('archive/1', FIRST);
  await write('archive/2', RENEWED);
  await mkdir(join(cwd, 'live'));
  if (change.startsWith('links')) {
    for (const name of ['c.pem', 'k.pem']) {
      await symlink(`../archive/1/${name}`, join(cwd, 'live', name));
      await symlink(`../archive/2/${name}`, join(cwd, `next-${name}`));
    }
  } else await write('live', FIRST);
  await start('live', ...(how === '-hotreload' ? [how] : []));
  const before = await open();
  expect(before.getPeerCertificate().serialNumber).toBe(serialOf(FIRST.cert));
  await REPLACED[change]();
  if (how !== '-hotreload') server.kill(how);
  await logged('loaded the renewed certificate from live/c.pem');
  expect(await served()).toBe(serialOf(RENEWED.cert));
  let answer = '';
  before.setEncoding('latin1').on('data', (piece) => {
    answer += piece;
  });
  before.write('GET / HTTP/1.0\r\n\r\n');
  await once(before, 'close');
  expect(answer).toMatch(/^HTTP\/1\.\d 200 OK\r\n/);
});

test.each([
  [
    'of which one half is old',
    { cert: RENEWED.cert, key: FIRST.key },
    'live/k.pem does not belong to live/c.pem',
  ],
  ['that is broken', { cert: 'text', key: RENEWED.key }, 'live/c.pem holds no certificate'],
])(
  'a renewed certificate %s is refused in one line, and the one before stays',
  async (_, pair, why) => {
    await write('live', FIRST);
    await start('live');
    await write('live', pair);
    const stays = `${why}; the certificate loaded before stays in use`;
    server.kill('SIGHUP');
    await logged(stays);
    expect(await served()).toBe(serialOf(FIRST.cert));
    expect(server.seen.stderr.split(stays)).toHaveLength(2);
    await write('live', RENEWED);
    server.kill('SIGHUP');
    await logged('loaded the renewed certificate');
    expect(await served()).toBe(serialOf(RENEWED.cert));
  },
);

test('SIGHUP says nothing of a certificate that is the same', async () => {
  await write('live', FIRST);
  await start('live');
  server.kill('SIGHUP');
  await logged('attempting to reload');
  server.kill('SIGUSR1');
  await waitFor(() => server.seen.stderr.split('attempting to reload').length === 3, server.ended);
  expect(server.seen.stderr).not.toContain('certificate');
});
