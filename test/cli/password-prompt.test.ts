import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { afterAll, expect, test } from 'vitest';
import { encryptConfig, keyOfPassword } from '../../src/config/encrypted-config.ts';
import { makeSyncerWorld } from '../support/run-syncer.ts';
import { waitFor } from '../support/wait-for.ts';

const world = await makeSyncerWorld();
afterAll(() => world.remove());

/** script(1) of util-linux, which gives a program a terminal. */
const hasScript = (() => {
  try {
    return execFileSync('script', ['--version']).includes('util-linux');
  } catch {
    return false;
  }
})();

test.skipIf(!hasScript)('at a terminal it is asked until it fits, and never shown', async () => {
  await writeFile(
    world.config,
    await encryptConfig(Buffer.from('[x]\ntype = local\n'), keyOfPassword('pass word')),
  );
  const running = world.start(['listremotes'], {
    input: { open: true },
    through: ['sh', '-c', 'exec script -qec "$(printf "%s " "$@")" /dev/null', 'sh'],
  });
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
