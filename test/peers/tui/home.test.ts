import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allSaid } from '../../../src/state/home.ts';
import { inState } from '../../support/open-state.ts';
import { hasTmux, openTmux } from '../../support/tmux-terminal.ts';
import { killChildrenOf, terminalModes } from '../../support/tui-world.ts';

const program = resolve(import.meta.dirname, '../../../dist/syncer.js');
let home = '';

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'home-screen-'));
  await mkdir(join(home, '.config/syncer'), { recursive: true });
  await mkdir(join(home, 'from'));
  await writeFile(join(home, 'from/file'), 'content');
  await writeFile(
    join(home, '.config/syncer/syncer.conf'),
    `[disk]\ntype = alias\nremote = ${home}\n\n[work]\ntype = drive_provider_a\ntoken = {"access_token":"x","expiry":"2020-01-01T00:00:00Z"}\n`,
  );
});
afterAll(() => rm(home, { recursive: true, force: true }));

async function start(columns = 80, rows = 24, more: Record<string, string> = {}, words = '') {
  const env = {
    HOME: home,
    XDG_CONFIG_HOME: '',
    XDG_STATE_HOME: '',
    XDG_CACHE_HOME: '',
    XDG_RUNTIME_DIR: home,
    ...more,
  };
  const terminal = await openTmux({ columns, rows, env, cwd: home });
  await terminal.type(`clear; ${process.execPath} ${program} ${words}; echo ended $?`);
  await terminal.keys('Enter');
  return terminal;
}

describe.skipIf(!hasTmux)('syncer alone on a terminal', () => {
  test('asks each remote once, in the background, and keeps what it said', async () => {
    const requests: string[] = [];
    const server = createServer((request, response) => {
      requests.push(request.url ?? '');
      response.writeHead(503).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const config = join(home, 'health.conf');
    const s3 = 'type = s3\nprovider = Other\naccess_key_id = a\nsecret_access_key = b\n';
    await writeFile(
      config,
      `[disk]\ntype = alias\nremote = ${home}\n\n[sick]\n${s3}endpoint = http://127.0.0.1:${port}\n\n[gone]\n${s3}endpoint = http://127.0.0.1:1\n`,
    );
    const terminal = await start(
      120,
      30,
      { XDG_STATE_HOME: join(home, 'state') },
      `home --config=${config}`,
    );
    await terminal.waitFor([/disk +works/, /sick +failed/, /gone +not reachable/]);
    await terminal.keys('q');
    await terminal.waitFor('ended 0');
    server.close();
    expect(requests).toHaveLength(1);
    const kept = await inState(join(home, 'state'), allSaid);
    expect(Object.fromEntries(kept)).toMatchObject({
      disk: { used: expect.any(Number), free: expect.any(Number) },
      gone: { isOffline: true },
    });
  });

  test('the demo goes through its steps, and leaves nothing', async () => {
    const [own, temporary] = [join(home, 'own'), join(home, 'temporary')];
    await mkdir(own);
    await mkdir(temporary);
    const cache = join(temporary, '../demo-cache');
    const env = { HOME: own, TMPDIR: temporary, XDG_CACHE_HOME: cache, SYNCER_DRY_RUN: 'true' };
    const terminal = await start(80, 24, env, 'demo');
    for (const [text, ...keys] of [
      ['1 of 5', 'Enter'],
      ['videos/', 'q'],
      ['2 of 5', 'Enter'],
      ['16 changes', 'a'],
      ['3 of 5', 'Enter'],
      ['2 changes', 'a'],
      ['n cancel', 'y'],
      ['4 of 5', 'Enter'],
      ['5 of 5', 'C-c'],
      ['Deleted /'],
    ] as const) {
      await terminal.waitFor(text);
      await terminal.keys(...keys);
    }
    await terminal.waitFor('ended 0');
    expect([await readdir(own), await readdir(temporary)]).toEqual([[], []]);
  });

  test('the demo leaves nothing when its terminal is closed', async () => {
    const temporary = join(home, 'closed');
    await mkdir(temporary);
    const terminal = await start(80, 24, { TMPDIR: temporary }, 'demo');
    await terminal.waitFor('Enter runs it');
    expect(await readdir(temporary)).toHaveLength(1);
    await terminal.close();
    await expect.poll(() => readdir(temporary)).toEqual([]);
  });

  test('offers rclone and AWS to begin with, and asks before it writes', async () => {
    const first = join(home, 'first');
    await mkdir(join(first, '.aws'), { recursive: true });
    await mkdir(join(first, '.config/rclone'), { recursive: true });
    await writeFile(join(first, '.aws/config'), '[profile build]\nregion = x\n');
    await writeFile(join(first, '.config/rclone/rclone.conf'), '[a]\ntype = local\n');
    const terminal = await start(80, 24, { HOME: first });
    await terminal.waitFor([/Import from rclone +1 remote/, 'AWS profile build']);
    await terminal.keys('Down', 'Enter');
    await terminal.waitFor(['Create the remote aws-build', 'profile=build']);
    await terminal.keys('y');
    await terminal.waitFor('Press Enter to go back.');
    await terminal.keys('Enter');
    await terminal.waitFor(/1 {2}aws-build/);
    await terminal.keys('q');
    await terminal.waitFor('ended 0');
    expect(await readFile(join(first, '.config/syncer/syncer.conf'), 'utf8')).toContain(
      'profile = build',
    );
  });

  test('shows the remotes with their state, copies, and shows the run', async () => {
    const terminal = await start();
    await terminal.waitFor(['This computer', 'disk', 'login expired', 'New remote']);
    await terminal.keys('1', 'Enter');
    await terminal.waitFor(['Browse', '$ syncer ncdu disk:']);
    await terminal.keys('c', 'Up');
    await terminal.type('from');
    await terminal.keys('Enter');
    await terminal.type('disk:to');
    await terminal.waitFor('$ syncer copy disk:from disk:to -P --review');
    await terminal.keys('Enter');
    await terminal.waitFor('1 change');
    await terminal.keys('a');
    await terminal.waitFor('Done. Press Enter to go back.');
    expect(await readdir(join(home, 'to'))).toEqual(['file']);
    await terminal.keys('x', 'Up');
    expect(await terminal.screen()).not.toMatch(/back\. +[x^]/);
    await terminal.keys('Escape');
    await terminal.waitFor(/^syncer {2}disk:/);
    await terminal.keys('Escape');
    await terminal.waitFor(/Last run \d+ s ago: done +syncer copy disk:from disk:to -P --re/);
    await terminal.keys('h', 'Enter');
    await terminal.waitFor(['done at', '1 transferred, 7 B']);
    await terminal.keys('C-c');
    await terminal.waitFor('ended 130');
  });

  test('fits a small terminal', async () => {
    const terminal = await start(40, 12);
    const shown = await terminal.waitFor(['This computer', 'disk', 'Enter open']);
    expect(shown.split('\n')).toHaveLength(12);
    await terminal.keys('End');
    await terminal.waitFor(/❯ h +History/);
    await terminal.keys('q');
    await terminal.waitFor('ended 0');
  });

  test.each(['SIGTERM', 'SIGHUP'] as const)(
    '%s while a command runs ends that, too',
    async (signal) => {
      await writeFile(join(home, 'from/large'), Buffer.alloc(5_000_000));
      const terminal = await start(80, 24, { SYNCER_BWLIMIT: '1M' });
      await terminal.waitFor('New remote');
      await terminal.keys('Enter', 'c', 'Up');
      await terminal.waitFor(`$ syncer copy ${home}/ `);
      await terminal.type('from');
      await terminal.keys('Enter');
      await terminal.type(join(home, 'slow'));
      await terminal.keys('Enter');
      await terminal.waitFor(/a apply/);
      await terminal.keys('a');
      await terminal.waitFor(/p pause · q stop/);
      killChildrenOf(await terminal.pid(), signal);
      await terminal.waitFor('ended 143');
      expect(await readdir(join(home, 'slow')).catch(() => [])).not.toContain('large');
      expect(await terminalModes(terminal)).toContain('icanon');
    },
  );

  test('without UTF-8 there is only ASCII, and the flags of the call are shown and given on', async () => {
    const locale = { LC_ALL: 'C', LANG: 'C' };
    const terminal = await start(80, 24, locale, 'home --cache-dir=/cache');
    await terminal.waitFor('New remote');
    const ascii = /^[\n\x20-\x7e]*$/;
    await terminal.keys('?');
    expect(await terminal.waitFor('also Right')).toMatch(ascii);
    await terminal.keys('q', '1', 'Enter');
    expect(await terminal.waitFor('Copy to...')).toMatch(ascii);
    await terminal.keys('c', 'Up');
    await terminal.waitFor('$ syncer copy disk: ... -P --review --cache-dir=/cache');
    await terminal.type('from/none');
    await terminal.keys('Enter');
    await terminal.type('disk:to');
    await terminal.keys('Enter');
    await terminal.waitFor('$ syncer copy disk:from/none disk:to -P --review --cache-dir=/cache');
    // What is drawn after an answer that was broken off begins at the left again.
    await terminal.waitFor('Press Enter to go back.');
    await terminal.keys('C-c');
    expect(await terminal.waitFor('Browse')).toMatch(/^syncer {2}disk:/);
    await terminal.keys('C-c');
    await terminal.waitFor('ended 130');
  });

  test('is no screen where the output is none', async () => {
    const terminal = await openTmux({ env: { HOME: home } });
    await terminal.type(
      `clear; ${process.execPath} ${program} | head -3; ${process.execPath} ${program} home < /dev/null; echo ended $?`,
    );
    await terminal.keys('Enter');
    await terminal.waitFor(['syncer copies, syncs', 'needs a terminal', 'ended 1']);
  });
});
