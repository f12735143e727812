import { createPrivateKey } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../../../commands/index.ts';
import { obscure } from '../../../../src/config/obscure.ts';
import { systemClock } from '../../../../src/core/context.ts';
import { httpChoices } from '../../../../src/run/remotes/transport-options.ts';
import { parseCommandLine } from '../../../../src/shell/command-line/parse-command-line.ts';
import { SELF_SIGNED_CERTIFICATE, SELF_SIGNED_KEY } from '../../../support/self-signed.ts';

const choicesOf = (...words: string[]) => {
  const vocabulary = { commands: COMMANDS, backendFlags: [], env: {}, nowMs: 0 };
  return httpChoices(parseCommandLine(['ls', ...words], vocabulary).flags, () => {}, systemClock);
};

test('nothing without flags', async () => {
  expect(await choicesOf()).toBeUndefined();
});

test('headers, address, connections for one request', async () => {
  const words = ['--header', 'X-One:  1 ', '--header', 'x-Two: a:b', '--bind', '127.0.0.1'];
  expect(await choicesOf(...words, '--disable-http-keep-alives')).toEqual({
    headers: { 'x-one': '1', 'x-two': 'a:b' },
    localAddress: '127.0.0.1',
    singleUse: true,
  });
  expect(await choicesOf('--expect-continue-timeout', '0')).toEqual({ agreeMs: 0 });
});

test('a trace for dumps of the network only', async () => {
  expect(await choicesOf('--dump', 'filters')).toBeUndefined();
  expect((await choicesOf('--dump', 'requests'))?.trace).toMatchObject({
    wantsRequestBodies: true,
    wantsAnswerBodies: false,
  });
});

test.each([
  [['--header', 'no colon'], 'usage', '--header'],
  [['--header', ': x'], 'usage', '--header'],
  [['--client-cert', 'x'], 'config', 'both --client-cert and --client-key'],
  [['--client-cert', '/none', '--client-key', '/none'], 'config', '--client-cert'],
  [['--bind', 'no such name'], 'config', '--bind'],
  [['--bind', '1.5'], 'config', '"1.5" is not an IP address'],
])('%j is refused', async (words, code, text) => {
  await expect(choicesOf(...words)).rejects.toMatchObject({
    code,
    message: expect.stringContaining(text),
  });
});

test('a proxy for all requests', async () => {
  expect(await choicesOf('--http-proxy', 'socks5://me:pw@proxy')).toEqual({
    proxy: {
      ...{ socks: true, secure: false, hostname: 'proxy', port: 1080 },
      login: { user: 'me', password: 'pw' },
    },
  });
  await expect(choicesOf('--http-proxy', 'ftp://x')).rejects.toThrow('--http-proxy is not a proxy');
});

test('a certificate of this side needs its key', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'syncer-certificate-'));
  try {
    const [cert, key] = [SELF_SIGNED_CERTIFICATE, SELF_SIGNED_KEY];
    await writeFile(join(dir, 'c.pem'), cert);
    await writeFile(join(dir, 'k.pem'), key);
    const files = ['--client-cert', join(dir, 'c.pem'), '--client-key', join(dir, 'k.pem')];
    expect(await choicesOf(...files)).toEqual({ clientCertificate: { cert, key } });
    await expect(
      choicesOf('--client-cert', join(dir, 'k.pem'), '--client-key', join(dir, 'c.pem')),
    ).rejects.toMatchObject({ code: 'config' });

    const cipher = { cipher: 'aes-256-cbc', passphrase: 'right' };
    const locked = createPrivateKey(key).export({ type: 'pkcs8', format: 'pem', ...cipher });
    await writeFile(join(dir, 'k.pem'), locked);
    expect(await choicesOf(...files, '--client-pass', obscure('right'))).toEqual({
      clientCertificate: { cert, key: locked, passphrase: 'right' },
    });
    for (const pass of [[], ['--client-pass', obscure('wrong')], ['--client-pass', '!']]) {
      await expect(choicesOf(...files, ...pass)).rejects.toMatchObject({ code: 'config' });
    }
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});
