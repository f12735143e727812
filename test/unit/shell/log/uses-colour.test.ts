import { expect, test } from 'vitest';
import { usesColour } from '../../../../src/shell/log/uses-colour.ts';

test.each([
  ['auto', {}, true, true],
  ['auto', {}, false, false],
  ['auto', { NO_COLOR: '1' }, true, false],
  ['auto', { NO_COLOR: '' }, true, true],
  ['auto', { TERM: 'dumb' }, true, false],
  ['auto', { TERM: 'xterm' }, true, true],
  ['always', { NO_COLOR: '1' }, false, true],
  ['never', {}, true, false],
] as const)('--color %s, %j, terminal %s: %s', (color, env, isTerminal, coloured) => {
  expect(usesColour(color, env, isTerminal)).toBe(coloured);
});
