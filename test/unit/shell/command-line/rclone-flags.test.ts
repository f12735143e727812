import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { COMMANDS } from '../../../../commands/index.ts';
import { readCommandLine } from '../../../../src/shell/command-line/read-command-line.ts';
import { installFakeRclone } from '../../../support/fake-rclone.ts';

const dir = await mkdtemp(join(tmpdir(), 'syncer-test-'));
afterAll(() => rm(dir, { recursive: true, force: true }));
const PATH = await installFakeRclone(dir);

const read = (words: string, env: NodeJS.ProcessEnv = {}) =>
  readCommandLine(COMMANDS, { argv: words.split(' '), env: { HOME: dir, PATH, ...env } });

test('a flag of a backend of rclone is known, and a switch takes no value', async () => {
  const { args, backendFlags } = await read(
    'ls --sftp-host h --sftp-disable-hashcheck --gcs-decompress=false a:',
  );
  expect(args).toEqual(['a:']);
  expect(backendFlags).toEqual({
    'sftp-host': 'h',
    'sftp-disable-hashcheck': 'true',
    'gcs-decompress': 'false',
  });
});

test('an unknown flag of such a backend, and a wrong value, are errors', async () => {
  await expect(read('ls --sftp-hosst h a:')).rejects.toThrow(
    'unknown flag: --sftp-hosst (did you mean --sftp-host?)',
  );
  await expect(read('ls --sftp-chunk-size much a:')).rejects.toThrow('--sftp-chunk-size');
});

test('without rclone the error says that it is needed', async () => {
  await expect(read('ls --sftp-host h a:', { PATH: '/nonexistent' })).rejects.toThrow(
    "--sftp-host is a flag of rclone's backend sftp, which needs rclone: no rclone is installed",
  );
  await expect(read('ls --b2-chunk-size 64M a:', { PATH: '/nonexistent' })).rejects.toThrow(
    "--b2-chunk-size is a flag of rclone's backend b2, which needs rclone: no rclone is installed",
  );
  await expect(read('ls --cache-dirr h a:', { PATH: '/nonexistent' })).rejects.toThrow(
    'did you mean --cache-dir?',
  );
});

test('the program is that of --rclone-program, else of the variable', async () => {
  const program = join(PATH, 'rclone');
  const none = { PATH: '/nonexistent' };
  await read(`ls --rclone-program ${program} --sftp-host h a:`, none);
  await read('ls --sftp-host h a:', { ...none, SYNCER_RCLONE: program });
});

test('none decides about files alone', async () => {
  const { providerFlags } = await import('../../../../src/shell/command-line/rclone-flags.ts');
  const { readProviders } = await import('../../../../src/backends/rclone/providers.ts');
  const { FAKE_PROVIDERS } = await import('../../../support/fake-rclone.ts');
  const flags = providerFlags(readProviders(JSON.stringify(FAKE_PROVIDERS)));
  expect(flags.length).toBeGreaterThan(10);
  expect(flags.filter(({ definition }) => definition.decides !== false)).toEqual([]);
});
