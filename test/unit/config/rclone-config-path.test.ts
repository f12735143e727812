import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { rcloneConfigPath } from '../../../src/config/config-path.ts';

const dir = await mkdtemp(join(tmpdir(), 'rclone-path-'));
afterAll(() => rm(dir, { recursive: true }));
const at = (...names: string[]) => join(dir, ...names);

test('the first place that has one wins, and RCLONE_CONFIG before all', async () => {
  await mkdir(at('bin'));
  await mkdir(at('opt'));
  await mkdir(at('home/.config/rclone'), { recursive: true });
  await mkdir(at('xdg/rclone'), { recursive: true });
  await writeFile(at('opt/rclone'), '');
  await symlink(at('opt/rclone'), at('bin/rclone'));
  const env = { HOME: at('home'), XDG_CONFIG_HOME: at('xdg'), PATH: `/nonexistent:${at('bin')}` };
  expect(await rcloneConfigPath(env)).toBeUndefined();
  const places = [
    at('home/.rclone.conf'),
    at('home/.config/rclone/rclone.conf'),
    at('xdg/rclone/rclone.conf'),
    at('opt/rclone.conf'),
  ];
  for (const place of places) {
    await writeFile(place, '');
    expect(await rcloneConfigPath(env)).toBe(place);
  }
  expect(await rcloneConfigPath({ ...env, RCLONE_CONFIG: '/a/b' })).toBe('/a/b');
});
