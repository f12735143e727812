import { readdirSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findFreePort } from '../../cli/free-port.ts';
import { putRelease, type ReleaseHost, startReleaseHost } from '../../servers/release-host.ts';
import { releaseArchive } from '../../support/tarballs.ts';
import { hasTmux, openTmux } from '../../support/tmux-terminal.ts';

const program = resolve(
  import.meta.dirname,
  '../../../packages/syncer-webhook/dist/webhook-installer.js',
);
let root = '';
let host: ReleaseHost;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'installer-screen-'));
  await mkdir(join(root, 'usr/bin'), { recursive: true });
  host = await startReleaseHost();
  putRelease(host, releaseArchive());
});
afterEach(async () => {
  await host.close();
  await rm(root, { recursive: true, force: true });
});

/** Starts the menu for the system in `root`. */
async function start(columns = 100, rows = 30, more = '', env = '') {
  const terminal = await openTmux({ columns, rows, cwd: root });
  const places = `--root ${root} --work-dir /srv --port ${await findFreePort()}`;
  const release = `--release-url ${host.url} --arch x86_64 --token secret ${more}`;
  await terminal.type(
    `clear; ${env} ${process.execPath} ${program} ${places} ${release}; echo ended $?`,
  );
  await terminal.keys('Enter');
  await terminal.waitFor(['1  Install', '2  Uninstall']);
  return terminal;
}

/** Closes the message of what was done, which is back in the menu, and quits. */
async function quit(terminal: Awaited<ReturnType<typeof start>>) {
  await terminal.keys('Enter');
  await terminal.waitFor(['1  Install', 'u upgrade']);
  await terminal.keys('q');
}

const files = () =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map(({ name }) => name)
    .sort();

describe.skipIf(!hasTmux)("the installer's menu on a terminal", () => {
  test('rule 4.5 menu: 1 installs with its steps shown, 2 uninstalls', async () => {
    const first = await start();
    await first.type('1');
    await first.waitFor('? y/n');
    await first.type('y');
    await first.waitFor(['verify the archive: SHA-256 matches', 'webhook is installed.']);
    await quit(first);
    // What is worth keeping is still there when the screen has gone.
    await first.waitFor(['token of the hook "test": secret', 'ended 0']);
    expect(files()).toContain('webhook.conf');
    expect(await readFile(join(root, 'srv/webhook/test.sh'), 'utf8')).toMatch(/^#!\/bin\/sh\n/);
    const second = await start();
    await second.type('2');
    await second.waitFor(['Uninstall webhook? y/n', 'delete the program']);
    // Enter, held down or not, is no answer.
    await second.keys('Enter', 'Enter', 'Enter');
    expect(files()).toContain('webhook.conf');
    await second.type('y');
    await second.waitFor(['delete the program /usr/bin/webhook', 'webhook is uninstalled.']);
    await quit(second);
    await second.waitFor('ended 0');
    expect(files()).toEqual([]);
  });

  test('the mouse chooses and answers nothing; theme.conf and --no-mouse count', async () => {
    await mkdir(join(root, 'own/syncer'), { recursive: true });
    await writeFile(join(root, 'own/syncer/theme.conf'), 'title = 201\n');
    const env = `SYNCER_CONFIG=${root}/own/syncer/syncer.conf`;
    const terminal = await start(100, 30, '', env);
    expect(await terminal.hasMouse()).toBe(true);
    expect(await terminal.screen(true)).toContain('38;5;201');
    const click = async (text: string) => {
      const row =
        (await terminal.screen()).split('\n').findIndex((line) => line.includes(text)) + 1;
      await terminal.type(`\x1b[<0;9;${row}M\x1b[<0;9;${row}m`);
    };
    await click('2  Uninstall');
    await terminal.waitFor('❯ 2  Uninstall');
    await click('1  Install');
    await terminal.waitFor('❯ 1  Install');
    await click('1  Install');
    const asked = await terminal.waitFor(['? y/n', 'y install']);
    for (let row = 1; row <= 30; row++) await terminal.type(`\x1b[<0;9;${row}M\x1b[<0;9;${row}m`);
    await terminal.keys('x');
    expect(await terminal.screen()).toBe(asked);
    await terminal.keys('n', 'q');
    await terminal.waitFor('ended');
    const without = await start(100, 30, '--no-mouse', env);
    expect(await without.hasMouse()).toBe(false);
  });

  test('arrows and Enter choose; what is there already keeps it from installing', async () => {
    await writeFile(join(root, 'usr/bin/webhook'), 'mine');
    const terminal = await start(60, 15);
    await terminal.keys('Down', 'Up', 'Enter');
    await terminal.waitFor(['found: the program /usr/bin/webhook', 'nothing was installed']);
    await quit(terminal);
    await terminal.waitFor('ended 1');
    expect(files()).toEqual(['webhook']);
  });

  test('an archive that nothing verifies gets no tick, and the reason is whole', async () => {
    const archive = join(root, 'a.tar.gz');
    await writeFile(archive, releaseArchive());
    const terminal = await start(60, 30, `--archive ${archive}`);
    await terminal.type('1');
    await terminal.waitFor('? y/n');
    await terminal.type('y');
    await terminal.waitFor([
      /^! +verify the archive: not verified: no checksum is$/m,
      /^ +published; set one with --sha256$/m,
      'webhook is installed.',
    ]);
    await quit(terminal);
    await terminal.waitFor('ended 0');
  });

  test('rule 4.5 menu: anything else is an input error', async () => {
    const terminal = await start();
    await terminal.type('3');
    await terminal.waitFor(['input error: enter 1 to install or 2 to uninstall', 'ended 1']);
  });

  test('Ctrl-C during the download: all is undone, and the terminal is as it was', async () => {
    host.answers.set('/2.8.0/webhook-linux-amd64.tar.gz', (request, response) => {
      response.writeHead(200, { 'content-length': 1000 });
      if (request.method === 'HEAD') response.end();
      else response.write('x'.repeat(250));
    });
    const terminal = await start();
    await terminal.type('1');
    await terminal.waitFor('? y/n');
    await terminal.type('y');
    await terminal.waitFor('downloaded 250 B of 1000 B (25 %)');
    await terminal.keys('C-c');
    await terminal.waitFor(['interrupted by Ctrl-C', 'ended 130']);
    expect(files()).toEqual([]);
    await terminal.type('echo still here');
    await terminal.keys('Enter');
    await terminal.waitFor(/^still here$/m);
  });

  test('Ctrl-C and q in the menu change nothing', async () => {
    const first = await start();
    await first.keys('C-c');
    await first.waitFor('ended 130');
    const second = await start();
    await second.type('q');
    await second.waitFor(['Nothing was changed.', 'ended 0']);
    expect(files()).toEqual([]);
  });
});
