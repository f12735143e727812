import { readFile, writeFile } from 'node:fs/promises';
import { machine } from 'node:os';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { InstallerIo } from '../../../installer/plan/prepare.ts';
import { parseCommandLine, readOptions } from '../../../installer/read-options.ts';
import { runInstaller } from '../../../installer/run-installer.ts';
import { InstallerWork } from '../../../installer/show/menu-screen.ts';
import { putRelease } from '../../servers/release-host.ts';
import { type InstallerWorld, makeInstallerWorld } from '../../support/installer-world.ts';
import { releaseArchive } from '../../support/tarballs.ts';

let world: InstallerWorld;
beforeEach(async () => {
  world = await makeInstallerWorld();
  putRelease(world.host, releaseArchive());
});
afterEach(() => world.remove());

test('rule 4.5 menu: 1 installs, 2 uninstalls, read from a pipe', async () => {
  const before = await world.tree();
  const installed = await world.run(['--arch', 'x86_64'], { input: '1\n' });
  expect([installed.code, installed.stderr]).toEqual([0, '']);
  expect(installed.stdout).toMatch(/^webhook\n {2}1\) install\n {2}2\) uninstall\nYour choice: \n/);
  expect(installed.stdout).toMatch(/test success!/);
  const removed = await world.run([], { input: '2\n' });
  expect([removed.code, removed.stderr]).toEqual([0, '']);
  expect(await world.tree()).toEqual(before);
});

test('rule 4.5 menu: only one line is read, with or without its end', async () => {
  for (const input of ['2', '2\n1\n', ' 2 \r\n']) {
    const { code, stdout } = await world.run([], { input });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/nothing to uninstall/)]);
  }
});

test('rule 4.5 menu, section 7: anything else is an input error', async () => {
  const before = await world.tree();
  for (const input of ['', '\n', '0\n', '3\n', '12\n', 'install\n', '１\n', '1 2\n']) {
    const { code, stderr } = await world.run([], { input });
    expect(code).toBe(1);
    expect(stderr).toBe('webhook-installer: input error: enter 1 to install or 2 to uninstall\n');
  }
  expect(await world.tree()).toEqual(before);
  expect(world.services.calls).toEqual([]);
});

test('the commands want --yes where nobody can be asked', async () => {
  for (const deed of ['install', 'uninstall']) {
    if (deed === 'uninstall') {
      await world.run(['install', '--yes', '--arch', 'x86_64']);
      // The hook that the installation tries answers before its command has ended.
      await vi.waitFor(async () =>
        expect(await world.tree()).toHaveProperty(['srv/webhook/test.log']),
      );
    }
    const before = await world.tree();
    const { code, stderr } = await world.run([deed, '--arch', 'x86_64']);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/add --yes/)]);
    expect(await world.tree()).toEqual(before);
  }
});

/** An installer for uninstalling at a terminal, whose answer follows from what it says. */
function atTerminal(answer: (said: string) => string | undefined | Promise<string | undefined>) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const output = {
    write(text: string) {
      void Promise.resolve(answer(text)).then((line) => line !== undefined && stdin.write(line));
    },
  };
  const io: InstallerIo = {
    argv: ['uninstall', ...world.places],
    env: {},
    cwd: world.dir,
    stdin,
    stdout: output,
    stderr: output,
    signal: new AbortController().signal,
    services: async () => world.services,
  };
  return io;
}

const CHANGED = 'nothing was changed: files of this machine changed while the plan was shown';

test('the menu carries out the plan that was shown, or nothing if another would be made now', async () => {
  await world.run(['install', '--yes', '--arch', 'x86_64']);
  const io = atTerminal(() => undefined);
  const options = readOptions(parseCommandLine(io.argv).flags, {
    cwd: world.dir,
    machine: machine(),
  });
  const hooks = world.path('etc/webhook.conf');
  const work = new InstallerWork(options, false, io);
  const shown = await work.look('uninstall');
  const written = await readFile(hooks, 'utf8');
  await writeFile(hooks, `${written}\n# mine`);
  const before = await world.tree();
  const told: unknown[] = [];
  const refused = await work.begin('uninstall', (news) => told.push(news));
  expect(refused).toEqual({ code: 1, lines: [expect.stringContaining(CHANGED)] });
  expect(told).toEqual([]);
  expect(await world.tree()).toEqual(before);
  await writeFile(hooks, written);
  expect((await work.begin('uninstall', (news) => told.push(news))).code).toBe(0);
  expect(told[0]).toEqual({ kind: 'plan', ...shown, notes: undefined });
});

test('a hook file that is edited while uninstall asks is not deleted', async () => {
  await world.run(['install', '--yes', '--arch', 'x86_64']);
  const hooks = world.path('etc/webhook.conf');
  const said: string[] = [];
  const io = atTerminal(async (text) => {
    said.push(text);
    if (!text.includes('[y/N]')) return undefined;
    await writeFile(hooks, '[]');
    return 'y\n';
  });
  expect(await runInstaller(io)).toBe(1);
  expect(said.at(-1)).toContain(CHANGED);
  expect(await readFile(hooks, 'utf8')).toBe('[]');
});
