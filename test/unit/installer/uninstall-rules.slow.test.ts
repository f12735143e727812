import { readdirSync } from 'node:fs';
import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { putRelease } from '../../servers/release-host.ts';
import { type InstallerWorld, makeInstallerWorld } from '../../support/installer-world.ts';
import { releaseArchive } from '../../support/tarballs.ts';

let world: InstallerWorld;
beforeEach(async () => {
  world = await makeInstallerWorld();
  putRelease(world.host, releaseArchive());
});
afterEach(() => world.remove());

const install = () => world.run(['install', '--yes', '--arch', 'x86_64']);
const uninstall = () => world.run(['uninstall', '--yes']);

test('rule 4.5 uninstall 1: nothing is there, and it says so', async () => {
  const before = await world.tree();
  const { code, stdout } = await uninstall();
  expect(stdout).toBe('no webhook program was found: nothing to uninstall\n');
  expect(code).toBe(0);
  expect(await world.tree()).toEqual(before);
  expect(world.services.calls).toEqual([]);
});

test('rule 4.5 uninstall 2: stops, disables, reloads, deletes, each shown; nothing is left', async () => {
  const before = await world.tree();
  await install();
  world.services.calls.length = 0;
  const { code, stdout } = await uninstall();
  expect(code).toBe(0);
  expect(world.services.calls).toEqual([
    'stop webhook.service',
    'disable webhook.service',
    'daemon-reload',
    // Once more, so that systemd forgets the unit.
    'daemon-reload',
  ]);
  const done = stdout.slice(stdout.indexOf('  stop webhook.service: done'));
  expect(done.replaceAll(world.dir, '')).toBe(
    `  stop webhook.service: done
  disable webhook.service: done
  reload the service manager: done
  delete the directory /srv/webhook: done
  delete the configuration file /etc/webhook.conf: done
  delete the program /usr/bin/webhook: done
  delete the service unit /lib/systemd/system/webhook.service: done
  reload the service manager: done
webhook is uninstalled.
`,
  );
  expect(await world.tree()).toEqual(before);
});

test('rule 4.5 uninstall 2: what is left of an installation is removed, too', async () => {
  const before = await world.tree();
  for (const gone of ['srv/webhook', 'etc/webhook.conf', 'lib/systemd/system/webhook.service']) {
    await install();
    await world.services.end();
    await rm(world.path(gone), { recursive: true });
    expect((await uninstall()).code).toBe(0);
    expect(await world.tree()).toEqual(before);
  }
});

test('a service that does not stop keeps nothing else from being removed, and is told', async () => {
  const before = await world.tree();
  await install();
  world.services.fails = { call: 'stop webhook.service', why: 'it hangs' };
  const { code, stderr } = await uninstall();
  expect([code, stderr]).toEqual([1, 'webhook-installer: it hangs\n']);
  expect(await world.tree()).toEqual(before);
});

test('somebody else on the port is shown and left alone', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(world.port, '127.0.0.1', resolve));
  const { code, stdout } = await uninstall();
  server.close();
  expect(code).toBe(1);
  expect(stdout).toBe(`found: a program that listens on port ${world.port}\n`);
});

test("a folder of that name with somebody's files stays, and it says so", async () => {
  await mkdir(world.path('srv/webhook'));
  await writeFile(world.path('srv/webhook/thesis.txt'), 'years of work');
  await writeFile(world.path('etc/webhook.conf'), '[]');
  const { stdout } = await uninstall();
  expect(stdout).toMatch(/kept the directory \S+: it was not created by the installer/);
  expect(await world.tree()).toMatchObject({ 'srv/webhook/thesis.txt': expect.anything() });
  expect(await world.tree()).not.toMatchObject({ 'etc/webhook.conf': expect.anything() });
});

test('a hook file that was changed is kept under a name of its own, and both forms say so', async () => {
  const mine = '[{"id": "mine"}]';
  const kept = () =>
    readdirSync(world.path('etc')).filter((name) => name.startsWith('webhook.conf'));
  for (const round of [1, 2]) {
    await install();
    await writeFile(world.path('etc/webhook.conf'), mine);
    const { code, stdout } =
      round === 1 ? await uninstall() : await world.run([], { input: '2\n' });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /keep the changed configuration file \S+ as \S+\.removed-[\d-]+: done[\s\S]*it is kept as \S+\n$/,
    );
    expect(kept()).toHaveLength(round);
  }
  const [first = '', second] = kept();
  expect(second).toBe(`${first}-2`);
  expect(first).toMatch(/^webhook\.conf\.removed-\d{4}-\d\d-\d\d$/);
  for (const name of [first, second])
    expect(await readFile(world.path(`etc/${name}`), 'utf8')).toBe(mine);
});

test('a work directory with files of the user is kept under a name of its own', async () => {
  await install();
  await writeFile(world.path('srv/webhook/deploy.sh'), 'echo');
  const { code, stdout } = await uninstall();
  expect(code).toBe(0);
  const [as = ''] = readdirSync(world.path('srv')).filter((name) => name.startsWith('webhook'));
  expect(as).toMatch(/^webhook\.removed-\d{4}-\d\d-\d\d$/);
  const [from, to] = [world.path('srv/webhook'), world.path(`srv/${as}`)];
  const step = `keep the directory ${from} as ${to}, with your files: deploy.sh`;
  expect(stdout).toContain(`. ${step}\n`);
  expect(stdout).toContain(`  ${step}: done\n`);
  expect(stdout).toMatch(
    new RegExp(`webhook is uninstalled\\.\\nYour files in ${from} are kept in ${to}\\n$`),
  );
  expect(await readFile(join(to, 'deploy.sh'), 'utf8')).toBe('echo');
});

test('of a work directory that is a symbolic link only the link is deleted', async () => {
  await install();
  await writeFile(world.path('srv/webhook/deploy.sh'), 'echo');
  await rename(world.path('srv/webhook'), world.path('srv/other'));
  await symlink('other', world.path('srv/webhook'));
  const { stdout } = await uninstall();
  expect(stdout).toContain(`  delete the link ${world.path('srv/webhook')}: done\n`);
  expect(readdirSync(world.path('srv/other'))).toContain('deploy.sh');
  expect(readdirSync(world.path('srv'))).not.toContain('webhook');
});

test('from another folder it finds the work folder through the hook file', async () => {
  const before = await world.tree();
  await install();
  const at = world.places.indexOf('--work-dir');
  const places = world.places.toSpliced(at, 2);
  await mkdir(join(world.dir, 'elsewhere'));
  const { code } = await world.run(['uninstall', '--yes'], {
    cwd: world.path('elsewhere'),
    places,
  });
  expect(code).toBe(0);
  await rm(world.path('elsewhere'), { recursive: true });
  expect(await world.tree()).toEqual(before);
});

test('what a Debian package owns is left to the package manager', async () => {
  const machine = world.path('machine');
  await mkdir(join(machine, 'var/lib/dpkg/info'), { recursive: true });
  await mkdir(join(machine, 'usr/bin'), { recursive: true });
  await writeFile(join(machine, 'usr/bin/webhook'), 'packaged');
  await writeFile(join(machine, 'var/lib/dpkg/info/webhook.list'), '/.\n/usr/bin/webhook\n');
  for (const deed of ['uninstall', 'upgrade']) {
    const { code, stderr } = await world.run([deed, '--yes', '--root', machine], {
      places: ['--port', `${world.port}`],
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/belongs to the package webhook/);
  }
  expect(await world.tree()).toMatchObject({ 'machine/usr/bin/webhook': expect.anything() });
});

test('what a run that was killed has left is found and removed, by both', async () => {
  const before = await world.tree();
  const stray = world.path('usr/bin/.webhook-installer-999999999.new');
  await writeFile(stray, 'half a program');
  const { code, stdout } = await uninstall();
  expect([code, stdout]).toEqual([0, expect.stringContaining(`delete a left-over ${stray}: done`)]);
  expect(await world.tree()).toEqual(before);
  await writeFile(stray, 'half a program');
  expect((await install()).code).toBe(0);
  expect(await world.tree()).not.toHaveProperty([stray.slice(world.dir.length + 1)]);
});
