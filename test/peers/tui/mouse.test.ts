import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hasTmux, type TmuxTerminal } from '../../support/tmux-terminal.ts';
import { childrenOf, killChildrenOf, type TuiWorld, tuiWorld } from '../../support/tui-world.ts';

let world: TuiWorld;
beforeEach(async () => {
  world = await tuiWorld('mouse');
  await world.write({
    'tree/large/a': 3000,
    'tree/small/b': 20,
    'editor.sh': 'echo edits; read x',
  });
});
afterEach(() => world.remove());

/** Presses and releases the left button; places count from 1. */
const click = (terminal: TmuxTerminal, column: number, row: number) =>
  terminal.type(`\x1b[<0;${column};${row}M\x1b[<0;${column};${row}m`);

const shown = (terminal: TmuxTerminal) => terminal.waitFor(/❯ .*large/);

describe.skipIf(!hasTmux)('the mouse', () => {
  test('clicks go and open, a cut report is no key, another program has no mouse', async () => {
    const env = { EDITOR: `sh ${world.folder}/editor.sh`, VISUAL: '' };
    const terminal = await world.start('ncdu tree', { columns: 80, env });
    await shown(terminal);
    expect(await terminal.hasMouse()).toBe(true);
    const rows = (await terminal.screen()).split('\n');
    await click(terminal, 8, rows.findIndex((row) => row.includes('small')) + 1);
    await terminal.waitFor(/❯ .*small/);
    await click(terminal, 8, rows.findIndex((row) => row.includes('small')) + 1);
    await terminal.waitFor(/❯ .* b$/m);
    await terminal.type('\x1b[<0;1');
    await new Promise((resolve) => setTimeout(resolve, 60));
    await terminal.type('0;20M\x1b[<0;10;20');
    await terminal.type('m\x1b[<65;10;2M');
    await terminal.keys('O');
    await terminal.waitFor('edits');
    expect(await terminal.hasMouse()).toBe(false);
    await terminal.keys('Enter');
    await terminal.waitFor(/❯ .* b$/m);
    expect(await terminal.hasMouse()).toBe(true);
    await terminal.keys('C-z');
    await terminal.waitFor('Stopped');
    expect(await terminal.hasMouse()).toBe(false);
    await terminal.type('fg\r');
    await terminal.waitFor(/❯ .* b$/m);
    expect(await terminal.hasMouse()).toBe(true);
    await terminal.keys('q');
    await terminal.waitFor('$');
    expect(await terminal.hasMouse()).toBe(false);
  });

  test.each(['SIGTERM', 'SIGHUP', 'SIGABRT'] as const)('%s ends it', async (signal) => {
    const terminal = await world.start('ncdu tree');
    await shown(terminal);
    expect(await terminal.hasMouse()).toBe(true);
    killChildrenOf(await terminal.pid(), signal);
    await terminal.waitFor('exit=');
    expect(await terminal.hasMouse()).toBe(false);
  });

  test('a closed terminal ends it, which is no crash', async () => {
    const terminal = await world.start('ncdu tree 2>err');
    await shown(terminal);
    const [pid] = childrenOf(await terminal.pid());
    await terminal.close();
    await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
    expect(await readFile(join(world.folder, 'err'), 'utf8')).not.toContain('Error');
  });

  test('a crash ends it, and is told where it can be read', async () => {
    await world.write({ 'crash.cjs': "process.on('SIGUSR2', () => { throw new Error('boom') })" });
    const env = { NODE_OPTIONS: `--require=${world.folder}/crash.cjs` };
    const terminal = await world.start('ncdu tree', { env });
    await shown(terminal);
    killChildrenOf(await terminal.pid(), 'SIGUSR2');
    await terminal.waitFor(['Error: boom', 'exit=1']);
    expect(await terminal.hasMouse()).toBe(false);
  });

  test.each<[string, string, Record<string, string>]>([
    ['--no-mouse', 'ncdu tree --no-mouse', {}],
    ['SYNCER_NO_MOUSE', 'ncdu tree', { SYNCER_NO_MOUSE: 'true' }],
    ['mouse = off', 'ncdu tree', { NO_COLOR: '1' }],
  ])('there is none with %s', async (name, words, env) => {
    if (name === 'mouse = off') await world.write({ 'theme.conf': 'mouse = off\n' });
    const terminal = await world.start(words, { env });
    await shown(terminal);
    expect(await terminal.hasMouse()).toBe(false);
    await terminal.keys('q');
    await terminal.waitFor('exit=0');
  });
});
