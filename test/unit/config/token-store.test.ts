import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { formatToken } from '../../../src/backends/auth/oauth-token.ts';
import { type ConfigFile, openConfigFile } from '../../../src/config/config-file.ts';
import { keyOfPassword } from '../../../src/config/encrypted-config.ts';
import {
  type TokenStore,
  tokenByReference,
  tokenInConfig,
  tokenStoreOf,
} from '../../../src/config/token-store.ts';
import { SyncerError } from '../../../src/core/errors.ts';

const DAY_MS = 86_400_000;
const token = (name: string, day = 0) =>
  formatToken({
    accessToken: name,
    tokenType: 'Bearer',
    refreshToken: `refresh-${name}`,
    expiresMs: Date.UTC(2026, 0, 1) + day * DAY_MS,
  });

let folder = '';
let path = '';
let env: NodeJS.ProcessEnv = {};
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'syncer-tokens-'));
  path = join(folder, 'syncer.conf');
  env = { XDG_STATE_HOME: join(folder, 'state') };
  await configure(token('first'));
});
afterEach(() => rm(folder, { recursive: true }));

const configure = (text: string) => writeFile(path, `[one]\ntype = onedrive\ntoken = ${text}\n`);
const writable = () =>
  openConfigFile(
    path,
    () => {},
    async () => 'word',
  );
const readOnly = (): ConfigFile => ({
  ...writable(),
  update: async () => Promise.reject(new SyncerError('config', 'read-only file system')),
});
const storeOf = (file: ConfigFile, clientId = 'c') =>
  tokenStoreOf({ file, section: 'one', clientId }, env, () => {}) as TokenStore;
const place = (file: ConfigFile) => tokenInConfig(file, 'one', storeOf(file));
const stored = () => readdir(join(folder, 'state/syncer/tokens')).catch(() => []);

test('a login that the file does not take is stored apart, for its owner only', async () => {
  await place(readOnly()).write(token('renewed'));
  expect(await place(readOnly()).read()).toBe(token('renewed'));
  const [name = ''] = await stored();
  expect(name).toMatch(/^one-[0-9a-f]{12}\.json$/);
  const { mode } = await stat(join(folder, 'state/syncer/tokens', name));
  expect(mode & 0o777).toBe(0o600);
  expect(await readFile(path, 'utf8')).toContain(token('first'));
});

test('where the file can be written again, the login returns to it', async () => {
  await place(readOnly()).write(token('renewed'));
  await place(writable()).write(token('again'));
  expect(await stored()).toEqual([]);
  expect(await readFile(path, 'utf8')).toContain(token('again'));
});

test.each([
  ['a new login in the file wins', token('new', 30), 'new'],
  ['an older file that is back does not', token('old', -30), 'renewed'],
  ['a logout in the file wins', '', undefined],
  ['a login of unknown end is a new one', '{"access_token":"x"}', 'x'],
])('%s', async (_what, configured, wins) => {
  await place(readOnly()).write(token('renewed', 60));
  await configure(configured);
  const now = await place(readOnly()).read();
  expect(now ? (JSON.parse(now) as Record<string, unknown>)['access_token'] : undefined).toBe(wins);
});

test('another application has its own', async () => {
  await place(readOnly()).write(token('renewed'));
  expect(await storeOf(writable(), 'other').newest(token('first'))).toBe(token('first'));
});

test('the login of an encrypted configuration is encrypted', async () => {
  await writable().update(
    (lines) => lines,
    () => keyOfPassword('word'),
  );
  await place(readOnly()).write(token('renewed'));
  const [name = ''] = await stored();
  const text = await readFile(join(folder, 'state/syncer/tokens', name), 'utf8');
  expect(text).not.toContain('renewed');
  expect(await place(readOnly()).read()).toBe(token('renewed'));
});

test('a damaged or foreign store does not count', async () => {
  await place(readOnly()).write(token('renewed'));
  const [name = ''] = await stored();
  await writeFile(join(folder, 'state/syncer/tokens', name), '{"token');
  expect(await place(readOnly()).read()).toBe(token('first'));
});

test('a login by reference is renewed by one at a time, and stored apart', async () => {
  let inside = 0;
  let most = 0;
  const login = () => tokenByReference(async () => token('first'), storeOf(writable()));
  const work = async () => {
    most = Math.max(most, ++inside);
    await login().write(token(`renewed${most}`));
    inside--;
  };
  await Promise.all(Array.from({ length: 5 }, () => login().alone(work)));
  expect(most).toBe(1);
  expect(await login().read()).toBe(token('renewed1'));
  expect(await readFile(path, 'utf8')).toContain(token('first'));
});

test('without a place to store it, the reason of the configuration is told', async () => {
  await writeFile(join(folder, 'state'), 'a file');
  await expect(place(readOnly()).write(token('renewed'))).rejects.toThrow();
});
