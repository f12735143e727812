import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hasTmux } from '../../support/tmux-terminal.ts';
import { type TuiWorld, tuiWorld } from '../../support/tui-world.ts';

let world: TuiWorld;

beforeEach(async () => {
  world = await tuiWorld('bisync');
  await world.write({
    'a/only-a': 'new on a',
    'b/only-b': 'new on b',
    'a/both.txt': 'equal\nof a\n',
    'b/both.txt': 'equal\nof b, longer\n',
  });
});
afterEach(() => world.remove());

const text = (path: string) => readFile(join(world.folder, path), 'utf8').catch(() => undefined);

describe.skipIf(!hasTmux)('bisync --review', () => {
  test.each([
    [120, 40],
    [80, 24],
    [40, 12],
  ])('shows both directions and both versions at %s×%s', async (columns, rows) => {
    const terminal = await world.start('bisync a b --review', { columns, rows });
    await terminal.waitFor(['a ↔ b', '3 changes', '! both.txt', 'C only-a', 'C only-b']);
    await terminal.keys('Enter');
    await terminal.waitFor(['path1', 'path2', '11 bytes']);
    await terminal.keys('j', 'j', 'j', 'j', 'j', 'j');
    await terminal.waitFor(columns < 60 ? ['< of a', '> of b, longer'] : [/of a +\| of b, longer/]);
    await terminal.keys('Escape');
    await terminal.waitFor('C only-a');
    await terminal.keys('q');
    await terminal.waitFor('exit=0');
    expect(await text('b/only-a')).toBeUndefined();
    expect(await text('a/both.txt')).toBe('equal\nof a\n');
  });

  test('keeps the version that was chosen, and excludes what is not wanted', async () => {
    const terminal = await world.start('bisync a b --review', { env: { NO_COLOR: '1' } });
    await terminal.waitFor('3 changes');
    await terminal.keys('Enter', '1');
    await terminal.waitFor('keep only path1 (decided)');
    await terminal.keys('Escape');
    await terminal.waitFor('C only-b');
    await terminal.keys('Down', 'Down', 'Down', 'Space');
    await terminal.keys('a', 'Enter');
    await terminal.keys('a');
    await terminal.waitFor(['Apply 2 changes?', '1 file replaced', '1 conflict and 1 copy']);
    await terminal.keys('y');
    await terminal.waitFor('exit=0');
    expect(await text('b/both.txt')).toBe('equal\nof a\n');
    expect(await text('b/only-a')).toBe('new on a');
    expect(await text('a/only-b')).toBeUndefined();
    await rm(join(world.folder, 'a/only-a'));
    // What was excluded is still known to be new, and what was applied to be agreed.
    const next = await world.start('bisync a b --review');
    await next.waitFor(['2 changes', 'D only-a', 'C only-b']);
    await next.keys('q');
    await next.waitFor('exit=0');
  });
});
