import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, expect, test } from 'vitest';
import { encryptConfig, keyOfPassword } from '../../../src/config/encrypted-config.ts';
import { makeSyncerWorld } from '../../support/run-syncer.ts';
import { waitFor } from '../../support/wait-for.ts';

const world = await makeSyncerWorld({ inOwnProcess: true });
afterAll(() => world.remove());

/** script(1) of util-linux, which gives a program a terminal. */
const hasScript = (() => {
  try {
    return execFileSync('script', ['--version']).includes('util-linux');
  } catch {
    return false;
  }
})();

const AT_TERMINAL = {
  input: { open: true },
  through: ['sh', '-c', 'exec script -qec "$(printf "%s " "$@")" /dev/null', 'sh'],
} as const;

test.skipIf(!hasScript)('at a terminal it is asked until it fits, and never shown', async () => {
  await writeFile(
    world.config,
    await encryptConfig(Buffer.from('[x]\ntype = local\n'), keyOfPassword('pass word')),
  );
  const running = world.start(['listremotes'], AT_TERMINAL);
  const prompts = () => running.seen.stdout.split('\npassword:').length - 1;
  await waitFor(() => prompts() === 1);
  running.write('wrong\r');
  await waitFor(() => prompts() === 2);
  running.write('pass word\r');
  const { stdout, code } = await running.ended;
  expect(code).toBe(0);
  expect(stdout.toString()).toMatch(/wrong password\.\r\n[\s\S]*\r\nx:\r\n$/);
  expect(stdout.toString()).not.toContain('pass word');
});

test.skipIf(!hasScript)('the wizard in lines of text does not show a secret', async () => {
  await writeFile(world.config, '[x]\ntype = s3\nprovider = Other\nregion = eu\n');
  const env = { SYNCER_PLAIN: '1' };
  const running = world.start(['config', 'edit', 'x'], { ...AT_TERMINAL, env });
  const enter = async (prompt: string, line: string) => {
    await waitFor(() => running.seen.stdout.endsWith(`${prompt}> `));
    running.write(`${line}\r`);
  };
  await enter('provider', '');
  await enter('env_auth', '');
  await enter('access_key_id', 'key');
  await enter('secret_access_key', 'top-secret');
  await enter('region', 'us');
  await enter('endpoint', 'http://127.0.0.1:1');
  await enter('y/n', 'n');
  await waitFor(() => running.seen.stdout.includes('Equivalent command'));
  // A line that comes too soon after its question does not count.
  const again = setInterval(() => running.write('y\r'), 500);
  const { stdout, code } = await running.ended.finally(() => clearInterval(again));
  expect(code).toBe(0);
  expect(stdout.toString()).toContain('secret_access_key> \r\n');
  expect(stdout.toString()).toContain('region> us\r\n');
  expect(stdout.toString()).not.toContain('top-secret');
  expect(await readFile(world.config, 'utf8')).toContain('secret_access_key = top-secret\n');
});
