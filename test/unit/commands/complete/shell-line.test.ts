import { expect, test } from 'vitest';
import { bashReply, splitShellLine } from '../../../../commands/complete/complete.ts';

test.each([
  ['syncer ls a b', ['syncer', 'ls', 'a'], 'b', ''],
  ['syncer ls ', ['syncer', 'ls'], '', ''],
  ['A=1 B=2 syncer x', ['syncer'], 'x', ''],
  ['syncer "a b" \'c d\' e\\ f', ['syncer', 'a b', 'c d'], 'e f', ''],
  ['syncer "a \\" \\$ \\n b', ['syncer'], 'a " $ \\n b', '"'],
  ["syncer x'y ", ['syncer'], 'xy ', "'"],
  ["syncer ''", ['syncer'], '', ''],
  ['syncer a\\', ['syncer'], 'a', ''],
  ['', [], '', ''],
] as const)('%j', (line, words, typed, quote) => {
  expect(splitShellLine(line)).toMatchObject({ words, typed, quote });
});

test.each([
  ['syncer ls x:', 'x:a b', 'a\\ b'],
  ['syncer ls "x:', 'x:a b$', 'x:a b\\$'],
  ["syncer ls 'x:", 'x:a b$', 'x:a b$'],
  ["syncer ls 'x:ap", "x:ap'os", "x:ap'\\''os"],
  ['syncer ls "x:a"', 'x:a b', 'x:a\\ b'],
  ['syncer --flag=x:', '--flag=x:y', 'y'],
  ['syncer ls x\\:', 'x:y', 'x:y'],
])('%j and %j', (line, candidate, reply) => {
  expect(bashReply(candidate, splitShellLine(line), ' \t\n"\'><=;|&(:')).toBe(reply);
});

test('where bash does not take a colon for the end of a word, the word stays whole', () => {
  expect(bashReply('x:y', splitShellLine('syncer ls x:'), ' \t\n')).toBe('x:y');
});
