import { readFile, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SyncerError } from '../../../src/core/errors.ts';
import { putRelease } from '../../servers/release-host.ts';
import { type InstallerWorld, makeInstallerWorld } from '../../support/installer-world.ts';
import { fakeProgram, releaseArchive } from '../../support/tarballs.ts';

const NEW = fakeProgram('amd64', 'the new one');
const UPGRADE = ['upgrade', '--yes', '--arch', 'x86_64', '--version', '2.8.2'];

let world: InstallerWorld;
beforeEach(async () => {
  world = await makeInstallerWorld();
  putRelease(world.host, releaseArchive());
  putRelease(world.host, releaseArchive('amd64', NEW), { version: '2.8.2' });
  await world.run(['install', '--yes', '--arch', 'x86_64']);
  // As users change them.
  const unit = world.path('lib/systemd/system/webhook.service');
  await writeFile(unit, (await readFile(unit, 'utf8')).replace('RestartSec=5s', 'RestartSec=1s'));
  const hooks = world.path('etc/webhook.conf');
  await writeFile(hooks, (await readFile(hooks, 'utf8')).replace('}\n]', '},\n{"id":"mine"}\n]'));
  world.services.calls.length = 0;
});
afterEach(() => world.remove());

const program = () => readFile(world.path('usr/bin/webhook'));

/** The tree but for the program and what the test hook adds to its log. */
async function others(): Promise<unknown> {
  const {
    'usr/bin/webhook': _,
    'srv/webhook/test.log': __,
    ...rest
  } = (await world.tree()) as {
    [path: string]: string;
  };
  return rest;
}

test('upgrade replaces the program and restarts it; hooks and unit stay as they were changed', async () => {
  const before = await others();
  const { code, stdout, stderr } = await world.run(UPGRADE);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/call the server: it responds/);
  expect(await program()).toEqual(NEW);
  expect(await others()).toEqual(before);
  expect(world.services.calls).toEqual(['restart webhook.service']);
});

test('an archive is named as what is installed: which release it holds is not known', async () => {
  const archive = world.path('new.tar.gz');
  await writeFile(archive, releaseArchive('amd64', NEW));
  const words = ['upgrade', '--yes', '--arch', 'x86_64', '--archive', archive];
  const { code, stdout } = await world.run(words);
  expect(code).toBe(0);
  expect(stdout).toContain(
    `\nwebhook from new.tar.gz is installed; hooks and units are unchanged.\n`,
  );
  expect(stdout).not.toContain('2.8.0');
});

test('a release that does not start: the old one is back, and runs', async () => {
  const before = await others();
  world.services.broken = 'failed';
  const { code, stdout } = await world.run(UPGRADE);
  expect(code).toBe(1);
  expect(stdout).toMatch(/restored the old \S+\/usr\/bin\/webhook/);
  expect(await program()).toEqual(fakeProgram());
  expect(await others()).toEqual(before);
  expect(world.services.calls).toEqual(['restart webhook.service', 'restart webhook.service']);
});

test('Ctrl-C at every moment leaves the old program or the new one, whole, and nothing else', async () => {
  const before = await others();
  for (let moment = 1, moments = 1; moments >= moment; moment++) {
    moments = 0;
    const interruption = new AbortController();
    const onOutput = () => {
      if (++moments === moment) {
        interruption.abort(new SyncerError('interrupted', 'interrupted by Ctrl-C'));
      }
    };
    const { code } = await world.run(UPGRADE, { signal: interruption.signal, onOutput });
    expect(await program()).toEqual(code === 0 ? NEW : fakeProgram());
    expect(await others()).toEqual(before);
    if (code === 0) await writeFile(world.path('usr/bin/webhook'), fakeProgram());
  }
});

test('where none is installed it says what to do', async () => {
  await world.run(['uninstall', '--yes']);
  const { code, stderr } = await world.run(UPGRADE);
  expect(code).toBe(4);
  expect(stderr).toMatch(/webhook is not installed: use "webhook-installer install"/);
});
