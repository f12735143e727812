import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { OWN_TYPES } from '../../../src/backends/index.ts';
import { OBSCURED_OPTIONS, RCLONE_TYPES } from '../../../src/backends/rclone/index.ts';
import { type RcloneProvider, readProviders } from '../../../src/backends/rclone/providers.ts';
import { iniSections, parseIni } from '../../../src/config/ini-lines.ts';
import { obscure, reveal } from '../../../src/config/obscure.ts';
import { newerRclone } from '../../support/open-rclone.ts';
import { runRclone } from '../../support/rclone.ts';
import { makeSyncerWorld } from '../../support/run-syncer.ts';

const world = await makeSyncerWorld({ inOwnProcess: true });
afterAll(() => world.remove());
const theirs = join(world.dir, 'rclone.conf');
beforeEach(() => Promise.all([world.config, theirs].map((path) => writeFile(path, ''))));

const rclone = async (...args: string[]) =>
  (
    await runRclone(args, { cwd: world.dir, config: theirs, program: newerRclone })
  ).stdout.toString();
const syncer = async (args: readonly string[], env: Record<string, string> = {}) => {
  const { code, stdout, stderr } = await world.run(args, {
    env: { SYNCER_RCLONE: newerRclone, ...env },
  });
  expect(code, stderr).toBe(0);
  return stdout.toString();
};

const PASSWORD = /^(?:pass|password2?)$/;
/** What a file holds, passwords in clear; an empty value is none. */
async function contents(path: string) {
  const sections = iniSections(parseIni(await readFile(path, 'utf8'), path));
  return Object.fromEntries(
    [...sections].map(([name, keys]) => [
      name,
      Object.fromEntries(
        [...keys]
          .filter(([, value]) => value !== '')
          .map(([key, value]) => [key, PASSWORD.test(key) ? reveal(value) : value]),
      ),
    ]),
  );
}

/** Runs both programs, each on its own configuration; what they print, and what the files hold then. */
async function both(...args: string[]) {
  const [ours, printed] = [await syncer(['config', ...args]), await rclone('config', ...args)];
  return { ours, printed, files: [await contents(world.config), await contents(theirs)] as const };
}

const TOKEN = '{"access_token":"a","token_type":"Bearer","expiry":"2030-01-01T00:00:00Z"}';

describe.skipIf(newerRclone === undefined)('remotes of rclone', () => {
  let providers: readonly RcloneProvider[] = [];
  beforeEach(async () => {
    const all = readProviders(await rclone('config', 'providers'));
    providers = all.filter(({ type }) => !OWN_TYPES.has(type));
  });

  test('its types and their passwords are those that are known without it', () => {
    const types = providers.flatMap(({ type, aliases }) => [type, ...aliases]);
    expect(types.filter((type) => !RCLONE_TYPES.includes(type))).toEqual([]);
    const options = providers.flatMap((provider) => provider.options);
    const obscured = options.filter(({ obscured }) => obscured).map(({ name }) => name);
    expect([...new Set(obscured)].sort()).toEqual([...OBSCURED_OPTIONS].sort());
    const clear = options.filter(({ name, obscured }) => !obscured && OBSCURED_OPTIONS.has(name));
    expect(clear).toEqual([]);
  });

  test('every option has a help text in one line, and no default that its type refuses', () => {
    for (const { type, options } of providers) {
      for (const { name, help, type: kind, default: ifUnset } of options) {
        expect(help, `${type} ${name}`).not.toMatch(/[\n\r]/);
        if (kind === 'bool') expect([undefined, 'true', 'false']).toContain(ifUnset);
      }
    }
  });

  test.each([
    ['create', 'r', 'sftp', 'host=h', 'user', 'me', 'pass=hunter2', 'port=2222'],
    ['create', 'r', 'crypt', 'remote=/tmp/x', 'password=one', 'password2=two'],
    ['create', 'r', 'union', 'upstreams=/tmp/a /tmp/b:ro'],
    ['create', 'r', 'webdav', 'url=http://127.0.0.1:1', 'vendor=nextcloud', 'pass=p'],
    ['create', 'r', 'koofr', 'provider=other', 'endpoint=http://x', 'user=u', 'password=p'],
    ['create', 'r', 'b2', 'account=a', 'key=k', 'hard_delete=true'],
    ['create', 'r', 'gcs', `token=${TOKEN}`, 'config_refresh_token=false'],
    ['create', 'r', 'drive', `token=${TOKEN}`, 'config_refresh_token=false', 'team_drive='],
    ['create', 'r', 'dropbox', `token=${TOKEN}`, 'config_refresh_token=false'],
  ])('%s %s %s stores the same', async (...words) => {
    const { files } = await both(...words);
    expect(files[0]).toEqual(files[1]);
    expect(Object.keys(files[0])).toEqual(['r']);
  });

  test.each([
    ['create', 'r', 'drive', 'scope=drive'],
    ['create', 'r', 'drive', 'client_id=x'],
    ['create', 'r', 'sftp', 'host=h', 'pass=p', '--all'],
    ['create', 'r', 'box', 'config_is_local=false'],
    ['create', 'r', 'jottacloud'],
    ['create', 'r', 'memory'],
  ])('%s %s %s %s asks the same', async (...words) => {
    const { ours, printed, files } = await both(...words, '--non-interactive');
    expect(JSON.parse(ours)).toEqual(JSON.parse(printed));
    expect(files[0]).toEqual(files[1]);
  });

  test('answers lead on alike, to the same section', async () => {
    const { ours } = await both('create', 'r', 'drive', 'client_id=x', '--non-interactive');
    let { State: state } = JSON.parse(ours);
    for (const answer of ['false', TOKEN, 'false']) {
      const step = ['update', 'r', '--continue', '--state', state, '--result', answer];
      const next = await both(...step, '--non-interactive');
      expect(JSON.parse(next.ours)).toEqual(JSON.parse(next.printed));
      expect(next.files[0]).toEqual(next.files[1]);
      state = JSON.parse(next.ours).State;
    }
    expect(state).toBe('');
    expect((await contents(world.config))['r']).toMatchObject({ token: TOKEN });
  });

  test('redacted hides what rclone hides', async () => {
    const values = ['host=h', 'user=u', 'port=1', 'pass=p', 'key_pem=k', 'shell_type=unix'];
    await both('create', 'r', 'sftp', ...values);
    const { ours, printed } = await both('redacted', 'r');
    const lines = (text: string) =>
      text
        .split('\n')
        .filter((line) => line.includes(' = '))
        .sort();
    expect(lines(ours)).toEqual(lines(printed));
  });

  test('flags and variables of its backends reach a remote, also below another one', async () => {
    const dir = join(world.dir, 'enc');
    const password = obscure('secret');
    const file = join(world.dir, 'plain');
    await writeFile(file, 'text');
    const flags = ['--crypt-remote', dir, '--crypt-password', password];
    await syncer(['copyto', file, ':crypt:a', ...flags]);
    expect(await syncer(['cat', ':crypt:a', ...flags])).toBe('text');
    expect(await syncer(['lsf', dir])).not.toContain('a\n');
    for (const prefix of ['RCLONE_', 'SYNCER_']) {
      const ofType = {
        [`${prefix}CRYPT_REMOTE`]: dir,
        [`${prefix}CRYPT_PASSWORD`]: password,
      };
      expect(await syncer(['lsf', ':crypt:'], ofType)).toBe('a\n');
      const ofRemote = {
        [`${prefix}CONFIG_ENC_TYPE`]: 'crypt',
        [`${prefix}CONFIG_ENC_REMOTE`]: dir,
        [`${prefix}CONFIG_ENC_PASSWORD`]: password,
      };
      expect(await syncer(['lsf', 'enc:'], ofRemote)).toBe('a\n');
    }
    // A crypt over a type whose options come from a flag.
    const over = `[over]\ntype = crypt\nremote = :combine:d\npassword = ${password}\n`;
    await writeFile(world.config, over);
    expect(await syncer(['lsf', 'over:', '--combine-upstreams', `d=${dir}`])).toBe('a\n');
  });

  test('connection strings are those that rclone prints', async () => {
    await writeFile(world.config, `[m]\ntype = crypt\nremote = /tmp\npassword = ${obscure('x')}\n`);
    await writeFile(theirs, await readFile(world.config));
    for (const path of ['m:', 'm:a/b', ':crypt,remote=/tmp:a'])
      expect(await syncer(['config', 'string', path])).toBe(await rclone('config', 'string', path));
  });

  test('features are those that rclone prints', async () => {
    await writeFile(world.config, `[m]\ntype = crypt\nremote = /tmp\npassword = ${obscure('x')}\n`);
    await writeFile(theirs, await readFile(world.config));
    expect(JSON.parse(await syncer(['backend', 'features', 'm:']))).toEqual(
      JSON.parse(await rclone('backend', 'features', 'm:')),
    );
  });
});
