import { readFile, rm, writeFile } from 'node:fs/promises';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { reveal } from '../../src/config/obscure.ts';
import { installFakeRclone } from '../support/fake-rclone.ts';
import { testOfAll } from '../support/in-part.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { makeSyncerWorld } from '../support/run-syncer.ts';

const world = await makeSyncerWorld();
afterAll(() => world.remove());
const PATH = `${await installFakeRclone(world.dir)}:/usr/bin:/bin`;
beforeEach(() => rm(world.config, { force: true }));

const env = { HOME: world.dir, SYNCER_CONFIG: world.config, SYNCER_PLAIN: '1', PATH };
const run = (words: readonly string[], more: NodeJS.ProcessEnv = {}, input = '') =>
  runInProcess(words, { ...env, ...more }, { input });
const config = (...words: string[]) => run(['config', ...words]);
const stored = () => readFile(world.config, 'utf8');
const passOf = (text: string) => reveal(/^pass = (.*)$/m.exec(text)?.[1] ?? '');

test('create stores the options of a type of rclone, its passwords obscured and not shown', async () => {
  const { code, stdout, stderr } = await config('create', 'nas', 'sftp', 'host=h', 'pass=hunter2');
  expect({ code, stdout }).toEqual({
    ...{ code: 0, stdout: '[nas]\ntype = sftp\nhost = h\npass = *** ENCRYPTED ***\n' },
  });
  expect(stderr).not.toContain('pass');
  expect(passOf(await stored())).toBe('hunter2');
  const odd = await config('update', 'nas', 'hostt=x');
  expect(odd.stderr).toContain('sftp has no option "hostt": stored, but ignored');
  await config('password', 'nas', 'pass', 'other');
  expect(passOf(await stored())).toBe('other');
  expect((await config('password', 'nas', 'host', 'x')).stderr).toContain(
    '"host" is not a password of sftp',
  );
});

test('without rclone the same is stored, and it is said what is needed', async () => {
  const none = { PATH: '/nonexistent' };
  const words = ['config', 'create', 'nas', 'sftp', 'host=h', 'pass=hunter2'];
  const { code, stderr } = await run(words, none);
  expect(code).toBe(0);
  expect(stderr).toContain(
    'remotes of the type sftp need rclone, and no rclone is installed: install it from https://rclone.org/install/',
  );
  expect(passOf(await stored())).toBe('hunter2');
  const all = await run(['config', 'update', 'nas', '--all'], none);
  expect({ ...all, code: all.code }).toMatchObject({ code: 1, stdout: '' });
  expect(all.stderr).toContain('need rclone');
  const shown = await run(['config', 'show', 'nas'], none);
  expect(shown.stdout).toContain('pass = *** ENCRYPTED ***');
});

test('a login by questions of rclone, one a call, ends in its token', async () => {
  const first = JSON.parse(
    (await config('create', 'b', 'box', 'client_id=i', '--non-interactive')).stdout,
  );
  expect(first).toMatchObject({ State: '*oauth-islocal,,,', Option: { Name: 'config_is_local' } });
  const go = (state: string, result: string) =>
    config('update', 'b', '--continue', '--state', state, '--result', result);
  const second = JSON.parse((await go(first.State, 'false')).stdout);
  expect(second).toMatchObject({
    Option: { Name: 'config_token', Help: 'rclone authorize "box"' },
  });
  const wrong = JSON.parse((await go(second.State, 'junk')).stdout);
  expect(wrong).toMatchObject({ State: first.State, Error: 'invalid character', Option: null });
  const last = JSON.parse((await go(second.State, '{"access_token":"t"}')).stdout);
  expect(last).toMatchObject({ State: '', Option: null });
  expect(await stored()).toBe('[b]\ntype = box\nclient_id = i\ntoken = {"access_token":"t"}\n');
});

test('an answer in advance leads through; the link of the login is shown', async () => {
  const { code, stderr } = await config('create', 'b', 'box', 'config_is_local=true');
  expect(code).toBe(0);
  expect(stderr).toContain('http://127.0.0.1:53682/auth?state=x');
  expect(await stored()).toBe('[b]\ntype = box\ntoken = {"access_token":"by the browser"}\n');
});

testOfAll('rclone gets a password as it is, not obscured twice', async () => {
  await writeFile(world.config, '[b]\ntype = box\n');
  await config('update', 'b', 'config_is_local=true');
  const before = await config('create', 'nas', 'sftp', 'host=h', 'pass=p', '--non-interactive');
  expect(JSON.parse(before.stdout)).toMatchObject({ State: '' });
  expect(passOf(await stored())).toBe('p');
});

test('the dialogue asks for its options, then what rclone asks, and stores no defaults', async () => {
  const lines = ['n', 'b', 'box', 'id', 'n', 'y', 'y', 'q'];
  const { code, stdout } = await run(['config'], {}, `${lines.join('\n')}\n`);
  expect(code, stdout).toBe(0);
  expect(stdout).toContain('config_is_local?');
  expect(await stored()).toBe(
    '[b]\ntype = box\nclient_id = id\ntoken = {"access_token":"by the browser"}\n',
  );
});

test('an option of some providers is asked for these', async () => {
  const lines = ['n', 'k', 'koofr', 'koofr', 'secret', 'n', 'y', 'q'];
  const { stdout } = await run(['config'], {}, `${lines.join('\n')}\n`);
  expect(stdout).not.toContain('Option endpoint');
  expect(await stored()).toMatch(/^\[k\]\ntype = koofr\nprovider = koofr\npassword = \S+\n$/);
});

test('a type that needs rclone is not offered without it, but said', async () => {
  const lines = ['n', 'x', 'box'];
  const { stdout } = await run(['config'], { PATH: '/nonexistent' }, `${lines.join('\n')}\n`);
  expect(stdout).not.toContain('(box)');
  expect(stdout).toContain('need rclone: https://rclone.org/install/');
  expect((await run(['config'], {}, `${lines.join('\n')}\n`)).stdout).toContain('(box)');
});

test('redacted prints what rclone does not call sensitive', async () => {
  const text = '[n]\ntype = sftp\nhost = h\nport = 7\npass = x\nkey_pem = k\nodd = o\n';
  await writeFile(world.config, text);
  const { stdout } = await config('redacted', 'n');
  expect(stdout).toContain(
    '[n]\ntype = sftp\nhost = XXX\nport = 7\npass = XXX\nkey_pem = XXX\nodd = XXX\n',
  );
  const none = await run(['config', 'redacted', 'n'], { PATH: '/nonexistent' });
  expect(none.stdout).toContain('[n]\ntype = sftp\nhost = XXX\nport = XXX\n');
});

testOfAll('reconnect, userinfo, disconnect and features are done by rclone', async () => {
  await writeFile(world.config, '[b]\ntype = box\n[n]\ntype = sftp\nhost = h\n');
  const again = await run(['config', 'reconnect', 'b:'], {}, 'y\n');
  expect(again.code, again.stderr).toBe(0);
  expect(await stored()).toContain('[b]\ntype = box\ntoken = {"access_token":"by the browser"}');
  expect((await config('reconnect', 'n:')).stderr).toContain(
    "backend doesn't support reconnect or authorize",
  );
  expect((await config('userinfo', 'b:', '--json')).stdout).toBe('{"name":"b:"}\n');
  expect((await run(['backend', 'features', 'b:'])).stdout).toBe('{"Name":"of rclone"}\n');
  await config('disconnect', 'b:');
  expect(await stored()).toContain('# disconnected');
});

test('an encrypted configuration stays so, and its password is in no argument', async () => {
  await writeFile(world.config, '[b]\ntype = box\n');
  const secret = { SYNCER_NEW_CONFIG_PASS: 'pw', SYNCER_CONFIG_PASS: 'pw' };
  expect((await run(['config', 'encryption', 'set'], secret)).code).toBe(0);
  const { code, stderr } = await run(['config', 'disconnect', 'b:'], secret);
  expect(code, stderr).toBe(0);
  expect(await stored()).toContain('RCLONE_ENCRYPT_V0');
  const { stdout } = await run(['config', 'userinfo', 'b:', '--json'], secret);
  expect(stdout).toBe('{"name":"b:"}\n');
});

test('providers prints those of rclone as it does, but not those that syncer has', async () => {
  const records = JSON.parse((await config('providers')).stdout) as readonly { Name: string }[];
  const names = records.map(({ Name }) => Name);
  expect(names.filter((name) => name === 's3')).toHaveLength(1);
  expect(names).toContain('google cloud storage');
  expect(records.find(({ Name }) => Name === 'sftp')).toMatchObject({ Description: 'SSH/SFTP' });
});

test('authorize names the command of rclone', async () => {
  const { code, stderr } = await run(['authorize', 'box']);
  expect(code).not.toBe(0);
  expect(stderr).toContain('run "rclone authorize box"');
});
