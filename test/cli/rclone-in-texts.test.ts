import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { installFakeRclone } from '../support/fake-rclone.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { makeSyncerWorld } from '../support/run-syncer.ts';

const world = await makeSyncerWorld();
afterAll(() => world.remove());
const PATH = await installFakeRclone(world.dir);
const OLD = await installFakeRclone(`${world.dir}/old`, 'v1.60.1');
const NONE = '/nonexistent';

beforeAll(() =>
  writeFile(
    world.config,
    '[nas]\ntype = sftp\nhost = h\n[short]\ntype = alias\nremote = nas:x\n[disk]\ntype = local\n',
  ),
);

const run = (words: readonly string[], path = PATH) =>
  runInProcess(words, { HOME: world.dir, SYNCER_CONFIG: world.config, PATH: path });
const complete = async (words: readonly string[], path = PATH) =>
  (await run(['__complete', 'words', '--', ...words], path)).stdout
    .split('\n')
    .map((line) => line.replace(/\t.*/, ''))
    .filter((word) => word !== '');

test('the list of backends has one row for rclone', async () => {
  const { stdout } = await run(['help', 'backends']);
  expect(stdout).toMatch(/^ {2}rclone +Every other type of remote, through/m);
  expect(stdout).not.toContain('sftp');
  expect((await run(['help', 'backend', 'rclone'])).stdout).toMatch(/Types: .*\bsftp\b/s);
});

test('the help of a type of rclone lists its options, or says that rclone is needed', async () => {
  const { stdout } = await run(['help', 'backend', 'sftp']);
  expect(stdout).toContain('sftp: SSH/SFTP, through rclone\n');
  expect(stdout).toContain('--sftp-chunk-size, SYNCER_SFTP_CHUNK_SIZE');
  expect((await run(['help', 'backend', 'gcs'])).stdout).toContain('--gcs-decompress');
  const none = await run(['help', 'backend', 'sftp'], NONE);
  expect(none.stdout.replace(/\s+/g, ' ')).toMatch(
    /^sftp: through rclone, which lists its options; no rclone is installed: install it from/,
  );
  expect((await run(['help', 'backend', 'sfpt'])).stderr).toContain('did you mean sftp?');
  const flags = await run(['help', 'flags', 'sftp']);
  expect(flags.stdout).toMatch(/^Flags for sftp remotes:\n.*--sftp-chunk-size size/s);
});

test('types, options and flags of rclone are completed', async () => {
  expect(await complete(['config', 'create', 'n', 'sf'])).toEqual(['sftp']);
  expect(await complete(['config', 'create', 'n', 'sftp', 'ch'])).toEqual(['chunk_size=']);
  expect(await complete(['config', 'update', 'nas', 'ke'])).toEqual(['key_pem=']);
  expect(await complete(['ls', '--sftp-h'])).toEqual(['--sftp-host']);
  expect(await complete(['ls', '--sftp-h'], NONE)).toEqual([]);
});

test('doctor says which rclone opens remotes, and opens none for it', async () => {
  const doctor = async (path: string, ...words: string[]) => {
    const { stdout } = await run(['doctor', '--json', ...words], path);
    const { checks } = JSON.parse(stdout) as {
      checks: readonly { check: string; verdict: string; text: string }[];
    };
    return (name: string) => checks.find(({ check }) => check === name);
  };
  const now = await doctor(PATH);
  expect(now('rclone')).toMatchObject({
    ...{ verdict: 'ok', text: `rclone 1.75.2 at ${PATH}/rclone` },
  });
  expect(now('nas')).toMatchObject({ verdict: 'ok', text: 'sftp, through rclone 1.75.2' });
  expect(now('short')).toMatchObject({ verdict: 'ok', text: 'sftp, through rclone 1.75.2' });
  expect((await doctor(OLD))('rclone')).toMatchObject({
    ...{ verdict: 'failed', text: expect.stringContaining('is rclone 1.60.1, and 1.70 or newer') },
  });
  const none = await doctor(NONE);
  expect(none('rclone')?.text).toContain('need rclone, and no rclone is installed: install it');
  expect(none('nas')).toMatchObject({ verdict: 'failed' });
  expect((await doctor(NONE, 'disk:'))('rclone')).toBeUndefined();
});

test('listremotes has remotes of every type, and no secret of theirs', async () => {
  const { stdout } = await run(['listremotes', '--long'], NONE);
  expect(stdout).toBe('nas:   sftp  \nshort: alias \ndisk:  local \n');
  expect(await readFile(world.config, 'utf8')).toContain('[nas]');
});
