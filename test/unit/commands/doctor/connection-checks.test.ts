import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import {
  certificateCheck,
  clockCheck,
  connectionChecks,
  mendRemote,
} from '../../../../commands/doctor/remote-checks.ts';
import { systemClock } from '../../../../src/core/context.ts';
import { SyncerError } from '../../../../src/core/errors.ts';

import { SELF_SIGNED_CERTIFICATE, SELF_SIGNED_KEY } from '../../../support/self-signed.ts';
import { collect } from './collect.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');

test.each([
  ['Nov 22 11:00:00 2026 GMT', 'failed: ended on 2026-11-22: its owner must renew it'],
  ['Dec  1 12:00:00 2026 GMT', 'warning: valid until 2026-12-01: its owner must renew it'],
  ['Dec 22 12:00:00 2027 GMT', 'ok: valid until 2027-12-22'],
  ['', 'unknown: the server did not show it again'],
])('a certificate valid to %s', async (valid_to, says) => {
  expect(await collect([certificateCheck({ valid_to }, NOW)])).toEqual({ certificate: says });
});

test.each([
  ['Sun, 22 Nov 2026 12:00:30 GMT', "ok: agrees with the server's"],
  ['Sun, 22 Nov 2026 12:05:00 GMT', 'warning: 5 min behind'],
  ['Sun, 22 Nov 2026 11:00:00 GMT', 'failed: 60 min ahead of'],
  [undefined, 'unknown: the server does not show its time'],
])('a server whose clock says %s', async (date, says) => {
  const { clock } = await collect([clockCheck(date, NOW)]);
  expect(clock?.startsWith(says)).toBe(true);
  if (says.includes('min')) expect(clock).toContain('$ sudo timedatectl set-ntp true');
});

const { signal } = new AbortController();
const transport = {
  ...{ timeoutMs: 1000, connectTimeoutMs: 1000, lowLevelRetries: 1, insecureTls: false },
  ...{ userAgent: 'x', env: { HTTPS_PROXY: 'http://me:hunter22@127.0.0.1:1' } },
};

test('a server that does not respond, and a proxy without its password', async () => {
  const place = { remote: 'photos', transport, clock: systemClock, signal };
  expect(await collect(connectionChecks({ ...place, url: 'http://127.0.0.1:1/' }))).toEqual({
    proxy: 'ok: none',
    connection: expect.stringMatching(/^failed: .*127\.0\.0\.1:1.* \$ syncer config edit photos$/),
  });
  const found = await collect(connectionChecks({ ...place, url: 'https://store.invalid/' }));
  expect(found['proxy']).toBe('ok: http://127.0.0.1:1');
  expect(JSON.stringify(found)).not.toContain('hunter22');
});

test.each(['127.0.0.1', '[::1]', 'localhost'])(
  '%s shows its certificate without a warning',
  async (host) => {
    const warnings: Error[] = [];
    const warn = (warning: Error) => warnings.push(warning);
    const tls = { cert: SELF_SIGNED_CERTIFICATE, key: SELF_SIGNED_KEY };
    const server = createServer(tls, (_incoming, outgoing) => outgoing.end());
    await new Promise<void>((resolve) => server.listen(0, resolve));
    process.on('warning', warn);
    try {
      const url = `https://${host}:${(server.address() as AddressInfo).port}/`;
      const network = { ...transport, env: {}, insecureTls: true };
      const found = await collect(
        connectionChecks({ url, remote: 'r', transport: network, clock: systemClock, signal }),
      );
      expect(found['certificate']).toMatch(/^ok: valid until /);
      await new Promise((resolve) => setImmediate(resolve));
      expect(warnings).toEqual([]);
    } finally {
      process.off('warning', warn);
      server.closeAllConnections();
      server.close();
    }
  },
);

describe('the command that fixes an error', () => {
  const wrapped = (inner: SyncerError) => new SyncerError('other', 'outer', { cause: inner });
  test.each([
    [new SyncerError('sign-in-needed', ''), 'syncer config reconnect photos:'],
    [new SyncerError('access-denied', '', { fault: 'clock' }), 'sudo timedatectl set-ntp true'],
    [new SyncerError('access-denied', '', { fault: 'secret-key' }), 'syncer config edit photos'],
    [new SyncerError('network', '', { fault: 'connection' }), 'syncer config edit photos'],
    [
      Object.assign(new SyncerError('other', '', { fault: 'region' }), { region: 'eu-1' }),
      'syncer config update photos region=eu-1',
    ],
    [
      wrapped(new SyncerError('bad-answer', '', { fault: 'authority' })),
      'syncer doctor photos: --ca-cert authority.pem',
    ],
    [new SyncerError('bad-answer', '', { fault: 'certificate' }), undefined],
    [new SyncerError('config', ''), 'syncer config show photos'],
    [new SyncerError('bucket-not-found', ''), 'syncer lsd photos:'],
    [new SyncerError('server', ''), undefined],
  ])('%#', (error, command) => {
    expect(mendRemote(error, 'photos')).toBe(command);
    expect(mendRemote(error, '')).toBe(/timedatectl/.exec(String(command))?.input);
  });
});
