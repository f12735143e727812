import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hasTmux, type TmuxTerminal } from '../../support/tmux-terminal.ts';
import { type TuiWorld, tuiWorld } from '../../support/tui-world.ts';

let world: TuiWorld;
beforeEach(async () => {
  world = await tuiWorld('answers');
});
afterEach(() => world.remove());

const ANSWERS = [
  '\x1b]11;rgb:00/00/00\x07',
  '\x1b]11;rgb:0000/0000/0000\x1b\\',
  '\x1bP>|tmux 3.3a\x1b\\',
  '\x1b_Gi=31;OK\x1b\\',
  '\x1b[?62;22c\x1b[12;40R\x1b[I',
];

/** Types pieces with a pause before each of them. */
async function inPieces(terminal: TmuxTerminal, pieces: readonly string[], pauseMs = 60) {
  for (const piece of pieces) {
    await setTimeout(pauseMs);
    await terminal.type(piece);
  }
}

describe.skipIf(!hasTmux)('what a terminal sends', () => {
  test('answers are no keys in a question of the wizard', async () => {
    const terminal = await world.start('config');
    await terminal.waitFor('No remotes');
    await terminal.keys('n');
    await terminal.waitFor('Enter name');
    await terminal.type('ph');
    for (const answer of ANSWERS) {
      await terminal.type(answer);
      await inPieces(terminal, [answer.slice(0, 4), answer.slice(4)], 300);
    }
    await terminal.type('otos');
    await terminal.waitFor(/photos/);
    await terminal.keys('C-c');
    await terminal.waitFor('exit=');
  });

  test('in the browser, answers and the bytes of an arrow one by one do only what they say', async () => {
    await world.write({ 'tree/large/a': 3000, 'tree/small/b': 20 });
    const terminal = await world.start('ncdu tree');
    await terminal.waitFor(/❯ .*large/);
    for (const answer of ANSWERS)
      await inPieces(terminal, [answer, answer.slice(0, 3), answer.slice(3)]);
    await inPieces(terminal, ['\x1b', '[', 'B']);
    await terminal.waitFor(/❯ .*small/);
    await inPieces(terminal, ['\x1b', '[A', '\x1b', 'OB'], 100);
    await terminal.waitFor(/❯ .*small/);
    await inPieces(terminal, ['\x1b', '[C']);
    await terminal.waitFor(/❯ .* b$/m);
    await terminal.keys('q');
    expect(await terminal.waitFor('exit=0')).not.toContain('delete');
  });

  test('answers are no part of a password', async () => {
    const terminal = await world.start('config encryption set');
    await terminal.waitFor('password:');
    for (const answer of ANSWERS) await terminal.type(answer);
    await terminal.type('secret');
    await terminal.keys('Enter');
    await terminal.waitFor('Confirm');
    await terminal.type('sec\x1b[Aret');
    await terminal.keys('Enter');
    await terminal.waitFor('exit=0');
  });
});
