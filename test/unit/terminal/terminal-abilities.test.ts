import { expect, test } from 'vitest';
import { linked, terminalAbilities } from '../../../src/terminal/terminal-abilities.ts';

test.each<[NodeJS.ProcessEnv, string]>([
  [{}, ''],
  [{ TERM: 'xterm-256color' }, ''],
  [{ TERM_PROGRAM: 'Apple_Terminal' }, ''],
  [{ WT_SESSION: '1' }, 'progress links'],
  [{ TERM_PROGRAM: 'ghostty' }, 'progress notifications links'],
  [{ TERM_PROGRAM: 'WezTerm' }, 'notifications links'],
  [{ TERM: 'xterm-kitty' }, 'notifications links'],
  [{ TERM: 'foot' }, 'notifications links'],
  [{ TERM: 'xterm-256color', VTE_VERSION: '7006' }, 'links'],
  [{ TERM: 'xterm-256color', VTE_VERSION: '8201' }, 'progress links'],
  [{ WT_SESSION: '1', TERM: 'tmux-256color' }, ''],
  [{ WT_SESSION: '1', TMUX: '/tmp/x' }, ''],
  [{ WT_SESSION: '1', SYNCER_PLAIN: '1' }, ''],
])('%j: %s', (env, abilities) => {
  const known = Object.entries(terminalAbilities(env)).filter(([, has]) => has);
  expect(known.map(([name]) => name).join(' ')).toBe(abilities);
});

test('a link has its address as the text', () => {
  expect(linked('https://x/y')).toBe('\x1b]8;;https://x/y\x1b\\https://x/y\x1b]8;;\x1b\\');
});
