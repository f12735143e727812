import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hasTmux } from '../../support/tmux-terminal.ts';
import { type TuiWorld, tuiWorld } from '../../support/tui-world.ts';

const THEME = `# a theme with a fault
title = 201 underline
cursor = 202 reverse
directory = 203
bright = 204
good = bright-green
track = 205
key = #00ffff
bar = pink
`;
const COLOUR = /\x1b\[[\d;]*\b(3[0-8]|9[0-7])\b[\d;]*m/;

let world: TuiWorld;
beforeEach(async () => {
  world = await tuiWorld('theme');
  await world.write({ 'theme.conf': THEME, 'tree/dir/a': 3000, 'tree/b': 20 });
});
afterEach(() => world.remove());

describe.skipIf(!hasTmux)('theme.conf', () => {
  test('a screen has its colours; a faulty line is a warning below it and changes nothing', async () => {
    const terminal = await world.start('ncdu tree', { columns: 120 });
    await terminal.waitFor(/2 files/);
    await terminal.keys('Down');
    await terminal.waitFor(/❯ .* b +│/);
    const shown = await terminal.screen(true);
    for (const code of ['38;5;201', '38;5;202', '38;5;203']) expect(shown).toContain(code);
    expect(shown).toMatch(/\x1b\[[\d;]*36m[\d;\x1b[m]*█/);
    await terminal.keys('q');
    const after = await terminal.waitFor('exit=0');
    expect(after.replaceAll('\n', '')).toContain(
      'theme.conf:9: unknown colour "pink"; use a name such as red',
    );
  });

  test('-P has them too', async () => {
    const terminal = await world.start('copy tree to -P --no-history');
    await terminal.waitFor('exit=0');
    expect(await terminal.screen(true)).toMatch(/\x1b\[92m✓/);
    expect(await terminal.screen()).toContain('theme.conf:9: unknown colour "pink"');
  });

  test('a run with two views has one warning', async () => {
    const terminal = await world.start('copy tree to --review -P --no-history');
    await terminal.waitFor('a apply');
    await terminal.keys('q');
    const after = await terminal.waitFor('exit=');
    expect(after.split('theme.conf:9').length).toBe(2);
  });

  test.each<[string, string, Record<string, string>]>([
    ['NO_COLOR', '', { NO_COLOR: '1' }],
    ['--color never', '--color never', {}],
    ['SYNCER_PLAIN', '', { SYNCER_PLAIN: '1' }],
  ])('%s has no colour and no warning', async (_, flags, env) => {
    const terminal = await world.start(`ncdu tree ${flags}`, { env });
    await terminal.waitFor(/2 files/);
    expect(await terminal.screen(true)).not.toMatch(COLOUR);
    await terminal.type('q');
    await terminal.keys('Enter');
    expect(await terminal.waitFor('exit=0')).not.toContain('theme.conf');
  });
});
