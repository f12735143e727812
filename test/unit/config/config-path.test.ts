import { userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';

vi.mock('node:os', async (original) => {
  const os = await original<typeof import('node:os')>();
  return { ...os, userInfo: vi.fn(os.userInfo) };
});
// Another test of this process may have loaded it.
vi.resetModules();
const { cacheDir, configPath, findCacheDir, stateDir } = await import(
  '../../../src/config/config-path.ts'
);
afterEach(() => void vi.mocked(userInfo).mockReset());

const HOME = '/home/me';

test.each([
  ['flag', { SYNCER_CONFIG: '/env' }, resolve('flag')],
  [undefined, { SYNCER_CONFIG: '/env', XDG_CONFIG_HOME: '/xdg', HOME }, '/env'],
  [undefined, { XDG_CONFIG_HOME: '/xdg', HOME }, '/xdg/syncer/syncer.conf'],
  [undefined, { XDG_CONFIG_HOME: 'relative', HOME }, '/home/me/.config/syncer/syncer.conf'],
  [undefined, { XDG_CONFIG_HOME: '', HOME }, '/home/me/.config/syncer/syncer.conf'],
  [undefined, {}, join(userInfo().homedir, '.config/syncer/syncer.conf')],
  [undefined, { HOME: '' }, join(userInfo().homedir, '.config/syncer/syncer.conf')],
  ['', { SYNCER_CONFIG: '/env' }, undefined],
  ['/any/notfound', {}, undefined],
  ['/dev/null', {}, undefined],
  [undefined, { SYNCER_CONFIG: '' }, undefined],
])('--config %j with %j', (flag, env, path) => {
  expect(configPath(flag, env)).toBe(path);
});

test('the cache has its own folder', () => {
  expect(cacheDir({ XDG_CACHE_HOME: '/c', HOME })).toBe('/c/syncer');
  expect(cacheDir({ HOME })).toBe('/home/me/.cache/syncer');
});

test('a user whom the system does not know has no folders without HOME', () => {
  vi.mocked(userInfo).mockImplementation(() => {
    throw new Error('uv_os_get_passwd returned ENOENT');
  });
  expect(configPath(undefined, {})).toBe(undefined);
  expect(stateDir({})).toBe(undefined);
  expect(findCacheDir({})).toBe(undefined);
  expect(findCacheDir({}, '/c')).toBe('/c');
  expect(() => cacheDir({})).toThrow('set HOME or --cache-dir');
  expect(configPath(undefined, { XDG_CONFIG_HOME: '/x' })).toBe('/x/syncer/syncer.conf');
});
