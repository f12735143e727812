import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasTmux, openTmux, type TmuxOptions } from '../../support/tmux-terminal.ts';
import { killChildrenOf } from '../../support/tui-world.ts';

let folder = '';
let program = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fixture-screen-'));
  program = join(folder, 'screen.mjs');
  await build({
    entryPoints: [resolve(import.meta.dirname, '../../support/fixture-screen.tsx')],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    jsx: 'automatic',
    alias: {
      'react-devtools-core': resolve(
        import.meta.dirname,
        '../../../scripts/bundle/no-devtools.cjs',
      ),
    },
    define: { 'process.env.NODE_ENV': '"production"' },
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function start(options: TmuxOptions = {}) {
  const terminal = await openTmux(options);
  await terminal.type(`clear; echo before; ${process.execPath} ${program}`);
  await terminal.keys('Enter');
  return terminal;
}

describe.skipIf(!hasTmux)('the frame that all screens share', () => {
  test('fills the terminal and gives back what was on it', async () => {
    const terminal = await start();
    const shown = await terminal.waitFor(['syncer fixture', 'cursor at 0', '❯ item 0']);
    expect(shown.split('\n')[0]).toMatch(/^syncer fixture {2}日本語 name +aside$/);
    expect(shown.split('\n')).toHaveLength(24);
    await terminal.keys('Down', 'Down', 'a', 'b', 'Enter');
    const after = await terminal.waitFor('result: took 2 ab');
    expect(after).toContain('before');
    expect(after).not.toContain('item 0');
  });

  test('begins in the first column, whatever was typed before', async () => {
    const terminal = await openTmux();
    await terminal.type(`clear; printf typed; ${process.execPath} ${program}`);
    await terminal.keys('Enter');
    expect(await terminal.waitFor('cursor at 0')).toMatch(/^syncer fixture/);
    await terminal.keys('C-z');
    await terminal.waitFor(/Stopped/);
    await terminal.type('printf typed; fg >/dev/null');
    await terminal.keys('Enter');
    expect(await terminal.waitFor('cursor at 0')).toMatch(/^syncer fixture/);
  });

  test('keys sent in one go are single keys', async () => {
    const terminal = await start();
    await terminal.waitFor('cursor at 0');
    await terminal.type('abc\x7f\x1b[B\r');
    await terminal.waitFor('result: took 1 ab');
  });

  test('a pasted text is one', async () => {
    const terminal = await start();
    await terminal.waitFor('cursor at 0');
    await terminal.paste('one\ntwo');
    await terminal.waitFor('text one two');
    await terminal.keys('C-c');
    await terminal.waitFor('result: left');
  });

  test('Ctrl-C leaves while a paste has no end', async () => {
    const terminal = await start();
    await terminal.waitFor('cursor at 0');
    await terminal.type('a\x1b[200~lost');
    await terminal.waitFor('text a');
    await terminal.type('more');
    await terminal.keys('C-c');
    await terminal.waitFor('result: left');
  });

  test('follows the size of the terminal', async () => {
    const terminal = await start();
    await terminal.waitFor('cursor at 0');
    await terminal.resize(40, 12);
    await terminal.waitUntilGone('item 15');
    const shown = await terminal.waitFor('cursor at 0');
    expect(shown.split('\n')).toHaveLength(12);
    await terminal.keys('Down');
    await terminal.waitFor('❯ item 1');
    await terminal.resize(100, 30);
    expect((await terminal.waitFor('item 20')).split('\n')).toHaveLength(30);
  });

  test.each([
    [99, 24],
    [80, 24],
    [100, 23],
    [60, 12],
    [120, 24],
  ])('shows the same at %i x %i as a screen that starts there', async (columns, rows) => {
    const fresh = await start({ columns, rows });
    const expected = await fresh.waitFor('cursor at 0');
    const terminal = await start({ columns: 100, rows: 24 });
    await terminal.waitFor('cursor at 0');
    await terminal.resize(columns, rows);
    await expect.poll(() => terminal.screen()).toBe(expected);
  });

  test('takes the terminal back after a stop from outside', async () => {
    const terminal = await start();
    await terminal.waitFor('cursor at 0');
    killChildrenOf(await terminal.pid(), 'SIGSTOP');
    await terminal.waitFor(/Stopped/);
    await terminal.resize(60, 12);
    await terminal.type('fg');
    await terminal.keys('Enter');
    await terminal.waitUntilGone('Stopped');
    await terminal.keys('Down');
    const shown = await terminal.waitFor(['syncer fixture', 'cursor at 1']);
    expect(shown.split('\n')).toHaveLength(12);
    await terminal.keys('C-c');
    await terminal.waitFor('result: left');
  });

  test('Ctrl-Z gives the terminal to the shell, and fg comes back to the screen', async () => {
    const terminal = await start();
    await terminal.waitFor('cursor at 0');
    await terminal.keys('C-z');
    await terminal.waitFor(/Stopped/);
    expect(await terminal.screen()).not.toContain('cursor at 0');
    await terminal.type('echo typed in the shell');
    await terminal.keys('Enter');
    await terminal.waitFor(/^typed in the shell$/m);
    // The shell alone is told of the new size.
    await terminal.resize(60, 12);
    await terminal.type('fg');
    await terminal.keys('Enter');
    await terminal.waitFor('cursor at 0');
    await terminal.waitUntilGone('item 15');
    await terminal.keys('Down');
    await terminal.waitFor('cursor at 1');
    await terminal.keys('C-c');
    await terminal.waitFor('result: left');
  });

  test('a screen that fails leaves the terminal as it was', async () => {
    const terminal = await start();
    await terminal.waitFor('cursor at 0');
    await terminal.keys('!');
    await terminal.waitFor('result: failed: the fixture failed');
    await terminal.type('echo visible');
    await terminal.keys('Enter');
    await terminal.waitFor(/^visible$/m);
  });

  test('without colour there is none, without UTF-8 only ASCII', async () => {
    const terminal = await start({ env: { NO_COLOR: '1', LC_ALL: 'C', LANG: 'C' } });
    await terminal.waitFor('> item 0');
    expect(await terminal.screen(true)).not.toMatch(/\x1b\[(3[0-7]|9[0-7])m/);
  });

  test('plain: lines in, lines out, no cursor movement', async () => {
    const terminal = await start({ env: { SYNCER_PLAIN: '1' } });
    await terminal.waitFor('cursor at 0');
    await terminal.type('down');
    await terminal.keys('Enter');
    await terminal.waitFor('cursor at 1');
    await terminal.keys('Enter');
    await terminal.waitFor('result: took 1');
  });
});
