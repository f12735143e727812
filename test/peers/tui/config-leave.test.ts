import { rm, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { hasTmux } from '../../support/tmux-terminal.ts';
import { type ConfigPlace, describeStore, makeConfigPlace } from './config-screen.ts';

const OLD = '# mine\n[old]\ntype = s3\nprovider = Other\nsecret_access_key = hidden\nodd = kept\n';
let place: ConfigPlace;
beforeAll(async () => {
  place = await makeConfigPlace();
});
afterAll(() => place.remove());
beforeEach(() => rm(place.config, { force: true }));

describe.skipIf(!hasTmux)('leaving syncer config', () => {
  test('Ctrl-C at every question leaves the file as it was', async () => {
    const steps: readonly (readonly [title: string, ...keys: string[]])[] = [
      ['Current remotes:', 'n'],
      ['Enter name', 'a', 'Enter'],
      ['Type of storage', '2', 'Enter'],
      ['client_id:', 'i', 'Enter'],
      ['client_secret:', 's', 'Enter'],
      ['Edit advanced', 'n'],
      ['Can this computer open a browser?', 'n'],
      ['config_token:', ...'{"access_token":"x"}', 'Enter'],
      ['config_type', 'Down', 'Down', 'Enter'],
      ['config_site_url'],
    ];
    await writeFile(place.config, OLD);
    for (let count = 1; count <= steps.length; count++) {
      const terminal = await place.start();
      for (const [at, [title, ...keys]] of steps.slice(0, count).entries()) {
        await terminal.waitFor(title);
        if (at < count - 1) await terminal.keys(...keys);
      }
      await terminal.keys('C-c');
      await terminal.waitFor('ended 130');
      expect(await place.text()).toBe(OLD);
      await terminal.close();
    }
  });

  test.each([
    ['before a remote is deleted', ['Current remotes:', 'd'], ['Delete "old"']],
    ['before it is renamed', ['Current remotes:', 'r'], ['Enter new name', 'x'], ['oldx']],
    ['before it is copied', ['Current remotes:', 'c'], ['old-copy']],
    [
      'before a password is set',
      ['Current remotes:', 's'],
      ['Add Password', 'a'],
      ['Enter NEW', 'x'],
      ['•'],
    ],
    ['before an import', ['Current remotes:', 'i'], ['Path of the rclone configuration file']],
  ])('Ctrl-C %s leaves the file as it was', async (_, ...steps) => {
    await writeFile(place.config, OLD);
    const terminal = await place.start();
    for (const [title = '', ...keys] of steps) {
      await terminal.waitFor(title);
      if (keys.length > 0) await terminal.keys(...keys);
    }
    await terminal.keys('C-c');
    await terminal.waitFor('ended 130');
    expect(await place.text()).toBe(OLD);
  });

  test('Ctrl-C before a remote of S3 is confirmed leaves no file', async () => {
    const terminal = await place.start();
    await describeStore(terminal, place.s3, 'wrong');
    await terminal.keys('C-c');
    await terminal.waitFor('ended 130');
    await expect(place.text()).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
