import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { COMMANDS } from '../../../../commands/index.ts';
import { systemClock } from '../../../../src/core/context.ts';
import { requestSlots, transportOptions } from '../../../../src/run/remotes/transport-options.ts';
import { parseCommandLine } from '../../../../src/shell/command-line/parse-command-line.ts';
import { VERSION } from '../../../../src/shell/version.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'syncer-transport-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const env = { HTTPS_PROXY: 'http://proxy' };
const optionsOf = (...words: string[]) => {
  const vocabulary = { commands: COMMANDS, backendFlags: [], env: {}, nowMs: 0 };
  const { flags } = parseCommandLine(['ls', ...words], vocabulary);
  return transportOptions(flags, env, systemClock, () => {});
};

test('defaults', async () => {
  expect(await optionsOf()).toEqual({
    timeoutMs: 300_000,
    connectTimeoutMs: 60_000,
    lowLevelRetries: 10,
    insecureTls: false,
    userAgent: `syncer/${VERSION}`,
    env,
  });
});

test('what the flags say', async () => {
  const pem = '-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n';
  await writeFile(join(dir, 'ca.pem'), pem);
  const options = await optionsOf(
    ...['--timeout', '0', '--contimeout', '5s', '--low-level-retries', '2', '--user-agent', 'me'],
    ...['--no-check-certificate', '--ca-cert', join(dir, 'ca.pem'), '--tpslimit', '3'],
  );
  expect(options).toMatchObject({
    ...{ timeoutMs: 0, connectTimeoutMs: 5000, lowLevelRetries: 2, userAgent: 'me' },
    ...{ insecureTls: true, caCertificates: pem, takeTransaction: expect.any(Function) },
  });
});

test('certificates that cannot be read or are none are told', async () => {
  const missing = join(dir, 'none');
  await expect(optionsOf('--ca-cert', missing)).rejects.toMatchObject({
    code: 'config',
    message: `cannot read the certificates of --ca-cert ${missing}: no such file or directory`,
  });
  const other = join(dir, 'other');
  await writeFile(other, 'hello');
  await expect(optionsOf('--ca-cert', other)).rejects.toMatchObject({ code: 'config' });
});

test('--max-connections lets so many requests wait for a response, in their order', async () => {
  expect((await optionsOf('--max-connections', '2')).takeSlot).toBeDefined();
  expect((await optionsOf()).takeSlot).toBeUndefined();
  const take = requestSlots(1);
  const { signal } = new AbortController();
  const order: number[] = [];
  const first = await take(signal);
  const aborting = new AbortController();
  const aborted = take(aborting.signal);
  const others = [1, 2].map(async (number) => {
    const free = await take(signal);
    order.push(number);
    free();
  });
  aborting.abort(new Error('over'));
  await expect(aborted).rejects.toThrow('over');
  expect(order).toEqual([]);
  first();
  await Promise.all(others);
  expect(order).toEqual([1, 2]);
  (await take(signal))();
});
