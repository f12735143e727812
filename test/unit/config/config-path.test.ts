import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { cacheDir, configPath } from '../../../src/config/config-path.ts';

const HOME = '/home/me';

test.each([
  ['flag', { SYNCER_CONFIG: '/env' }, resolve('flag')],
  [undefined, { SYNCER_CONFIG: '/env', XDG_CONFIG_HOME: '/xdg', HOME }, '/env'],
  [undefined, { XDG_CONFIG_HOME: '/xdg', HOME }, '/xdg/syncer/syncer.conf'],
  [undefined, { XDG_CONFIG_HOME: 'relative', HOME }, '/home/me/.config/syncer/syncer.conf'],
  [undefined, { XDG_CONFIG_HOME: '', HOME }, '/home/me/.config/syncer/syncer.conf'],
  [undefined, {}, join(homedir(), '.config/syncer/syncer.conf')],
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
