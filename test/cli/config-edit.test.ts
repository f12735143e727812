import { chmod, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { obscure, reveal } from '../../src/config/obscure.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { makeSyncerWorld } from '../support/run-syncer.ts';

const world = await makeSyncerWorld();
afterAll(() => world.remove());

const FILE =
  '# mine\n[a]\ntype = s3\n; key\naccess_key_id = AK\n\n[short]\ntype = alias\nremote = a:b\n';
beforeEach(() => writeFile(world.config, FILE));

const config = (...words: string[]) =>
  runInProcess(['config', ...words], { HOME: world.dir, SYNCER_CONFIG: world.config });
const stored = () => readFile(world.config, 'utf8');

test('rename changes the header alone, and tells who leads to the old name', async () => {
  const { code, stdout, stderr } = await config('rename', 'a:', 'b');
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  expect(stderr).toMatch(/"remote" of "short" still refers to "a"/);
  expect(await stored()).toBe(FILE.replace('[a]', '[b]'));
});

test.each([
  [['rename', 'a', 'short'], 'a remote named "short" already exists', 1],
  [['rename', 'nosuch', 'b'], 'no remote named "nosuch"', 2],
  [['rename', 'a', 'x/y'], 'invalid remote name', 2],
  [['password', 'a', 'access_key_id', 'x'], '"access_key_id" is not a password of s3', 1],
  [['create', 'n', 's3', '--all'], 'input ended before the last question', 1],
])('%j is refused and changes nothing', async (words, said, exit) => {
  const { code, stderr } = await config(...words);
  expect(code).toBe(exit);
  expect(stderr).toContain(said);
  expect(await stored()).toBe(FILE);
});

test('blanks at the ends of a value are told, as no file keeps them; a password keeps its own', async () => {
  for (const words of [
    ['update', 'a', 'secret_access_key= lead', 'region=eu'],
    ['create', 'n', 's3', 'secret_access_key', 'trail\t'],
  ]) {
    const { code, stderr } = await config(...words);
    expect(code).toBe(0);
    expect(stderr).toContain('blanks at the ends of "secret_access_key" are not stored');
    expect(stderr).not.toContain('region');
    expect(stderr).not.toMatch(/lead|trail/);
  }
  expect(await stored()).toContain('secret_access_key = lead\n');
  expect(await stored()).toContain('secret_access_key = trail\n');
  await config('update', 'a', 'secret_access_key=inner blank');
  const { stderr } = await config('update', 'a', 'secret_access_key=inner blank');
  expect(stderr).not.toContain('blanks');
});

test('a remote of an unknown type is changed key by key', async () => {
  const web = '\n[web]\ntype = webster\nurl = u\n';
  await writeFile(world.config, FILE + web);
  const { code, stderr } = await config('update', 'web', 'url=zzz', 'vendor', 'other');
  expect(code).toBe(0);
  expect(stderr.match(/unsupported type "webster"/g)).toHaveLength(1);
  expect(await stored()).toBe(`${FILE}${web.replace('url = u', 'url = zzz')}vendor = other\n`);
  const password = await config('password', 'web', 'pass', 'hunter2');
  expect(password).toMatchObject({ code: 0 });
  expect(password.stdout).toContain('pass = *** ENCRYPTED ***');
  const pass = /^pass = (.*)$/m.exec(await stored())?.[1] ?? '';
  expect(reveal(pass)).toBe('hunter2');
});

test.each([
  ['--no-obscure', (pass: string) => pass],
  ['--obscure', (pass: string) => reveal(reveal(pass))],
  ['--obscure=false', reveal],
])('%s decides whether a password that looks obscured is obscured', async (flag, read) => {
  const given = flag === '--no-obscure' ? 'hunter2' : obscure('hunter2');
  await writeFile(world.config, `${FILE}\n[p]\ntype = sftp\nhost = h\n`);
  const { code, stderr } = await config('update', 'p', 'pass', given, flag);
  expect(code, stderr).toBe(0);
  expect(read(/^pass = (.*)$/m.exec(await stored())?.[1] ?? '')).toBe('hunter2');
});

test.each<[mode: number, line: string, words: string[], isTold: boolean]>([
  [0o644, 'secret_access_key = x', ['update', 'a', 'region=r'], true],
  [0o640, 'secret_access_key = x', ['password', 'p', 'pass', 'x'], true],
  [0o600, 'secret_access_key = x', ['update', 'a', 'region=r'], false],
  [0o644, 'region = x', ['update', 'a', 'region=r'], false],
  [0o644, 'secret_access_key = x', ['show'], false],
  [0o644, 'secret_access_key = x', ['show', '-v'], true],
])('mode %o, %s, %j: whether it is told that others can read secrets', async (...given) => {
  const [mode, line, words, isTold] = given;
  const other = words[1] === 'p' ? '\n[p]\ntype = sftp\n' : '';
  await writeFile(world.config, `[a]\ntype = s3\n${line}\n${other}`);
  await chmod(world.config, mode);
  const { code, stderr } = await config(...words);
  await chmod(world.config, 0o600);
  expect(code).toBe(0);
  const what = `config file "${world.config}" contains secrets and is readable by other users`;
  const told = `${what} (mode 0${mode.toString(8)}): run chmod 600`;
  expect(stderr.split(told)).toHaveLength(isTold ? 2 : 1);
  expect(stderr.includes('other users')).toBe(isTold);
});

test('an unknown type can neither be given nor asked for', async () => {
  await writeFile(world.config, `${FILE}\n[web]\ntype = webster\n`);
  for (const words of [
    ['update', 'a', 'type=webster'],
    ['update', 'web', '--all'],
    ['create', 'n', 'webster', 'url=u'],
  ]) {
    expect((await config(...words)).code).toBe(2);
  }
  expect(await stored()).toBe(`${FILE}\n[web]\ntype = webster\n`);
});

test.each([
  [['delete', 'a']],
  [['rename', 'a', 'b']],
  [['update', 'a', 'region=r']],
  [['create', 'n', 'local']],
  [['touch']],
  [['encryption', 'remove']],
])('%j --dry-run tells of it and writes nothing', async (words) => {
  const { code, stderr } = await config(...words, '--dry-run');
  expect(code).toBe(0);
  expect(stderr).toContain('Skipped update of the configuration as --dry-run is set');
  expect(await stored()).toBe(FILE);
});

test('the questions of --all can be answered one after the other', async () => {
  const asked: string[] = [];
  const first = await config('create', 'n', 'alias', '--all', '--non-interactive');
  let answer = JSON.parse(first.stdout);
  while (answer.State !== '') {
    asked.push(answer.Option.Name);
    const words = ['update', 'n', '--continue', '--state', answer.State, '--result', 'a:x'];
    answer = JSON.parse((await config(...words)).stdout);
  }
  expect(asked).toEqual(['remote', 'config_fs_advanced']);
  expect(await stored()).toBe(`${FILE}\n[n]\ntype = alias\nremote = a:x\n`);
});

describe('a remote that is replaced', () => {
  const SHELF = '[shelf]\ntype = s3\nsecret_access_key = only-here\n';
  const former = () => readFile(`${world.config}.undo`, 'utf8').catch(() => undefined);
  beforeEach(async () => {
    await writeFile(world.config, SHELF);
    await rm(`${world.config}.undo`, { force: true });
  });

  test('by config create is named, and the configuration with its keys is kept', async () => {
    const { code, stderr } = await config('create', 'shelf', 'alias', 'remote=/x');
    expect(code).toBe(0);
    expect(stderr).toContain(
      `NOTICE: replaced the remote "shelf" (s3); the former configuration is kept as ${world.config}.undo\n`,
    );
    expect(await former()).toBe(SHELF);
    expect((await stat(`${world.config}.undo`)).mode & 0o777).toBe(0o600);
    // The same once more replaces nothing, and must not replace what is kept.
    const again = await config('create', 'shelf', 'alias', 'remote=/x');
    expect(again.stderr).not.toContain('replaced');
    await config('update', 'shelf', 'remote=/y');
    await config('create', 'other', 'alias', 'remote=/x');
    expect(await former()).toBe(SHELF);
  });

  test('by one of another type with config update is named, too', async () => {
    const { stderr } = await config('update', 'shelf', 'type=local');
    expect(stderr).toContain('replaced the remote "shelf" (s3); ');
    expect(await former()).toBe(SHELF);
  });

  test('by config import --force is kept', async () => {
    const foreign = `${world.dir}/rclone.conf`;
    await writeFile(foreign, '[shelf]\ntype = alias\nremote = /x\n');
    expect((await config('import', foreign)).stderr).not.toContain('.undo');
    expect(await former()).toBeUndefined();
    const { stdout, stderr } = await config('import', foreign, '--force');
    expect(stdout).toBe('shelf: (alias) replaced\n');
    expect(stderr).toContain(`the former configuration is kept as ${world.config}.undo`);
    expect(await former()).toBe(SHELF);
  });

  test('stays as it was with --dry-run, and nothing is kept', async () => {
    const { stderr } = await config('create', 'shelf', 'alias', 'remote=/x', '--dry-run');
    expect(stderr).not.toContain('replaced');
    expect([await stored(), await former()]).toEqual([SHELF, undefined]);
  });

  test('the former file of an encrypted configuration is kept encrypted', async () => {
    const env = {
      ...{ HOME: world.dir, SYNCER_CONFIG: world.config },
      ...{ SYNCER_CONFIG_PASS: 'pw', SYNCER_NEW_CONFIG_PASS: 'pw' },
    };
    await runInProcess(['config', 'encryption', 'set'], env);
    const sealed = await stored();
    await runInProcess(['config', 'create', 'shelf', 'alias', 'remote=/x'], env);
    expect(await former()).toBe(sealed);
    expect(sealed).not.toContain('only-here');
  });
});
