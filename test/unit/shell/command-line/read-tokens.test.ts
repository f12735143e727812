import { expect, test } from 'vitest';
import { COMMANDS } from '../../../../commands/index.ts';
import { flagSetOf } from '../../../../src/shell/command-line/flag-set.ts';
import { readTokens } from '../../../../src/shell/command-line/read-tokens.ts';

/** A command line in short: arguments as they are, flags as `key` or `key=value`. */
const read = (words: string, command = 'copy') =>
  [...readTokens(words.split(' '), flagSetOf(COMMANDS, command))].map((token) => {
    if (token.kind === 'arg') return token.text;
    return token.value === undefined ? `<${token.flag.key}>` : `<${token.flag.key}=${token.value}>`;
  });

test.each([
  ['a b', ['a', 'b']],
  ['--dry-run a', ['<dry-run>', 'a']],
  ['a --dry-run b', ['a', '<dry-run>', 'b']],
  ['--dry-run=false', ['<dry-run=false>']],
  ['--dry-run false', ['<dry-run>', 'false']],
  ['--transfers 3 a', ['<transfers=3>', 'a']],
  ['--transfers=3', ['<transfers=3>']],
  ['--include= a', ['<include=>', 'a']],
  ['--include a=b=c', ['<include=a=b=c>']],
  ['--include=a=b', ['<include=a=b>']],
  ['--max-delete -1', ['<max-delete=-1>']],
  ['--include -- a', ['<include=-->', 'a']],
  ['-n', ['<dry-run>']],
  ['-vv', ['<verbose>', '<verbose>']],
  ['-Pv a', ['<progress>', '<verbose>', 'a']],
  ['-n=false', ['<dry-run=false>']],
  ['-vn=false', ['<verbose>', '<dry-run=false>']],
  ['-f x', ['<filter=x>']],
  ['-fx', ['<filter=x>']],
  ['-f=x', ['<filter=x>']],
  ['-vfx=y', ['<verbose>', '<filter=x=y>']],
  ['- -n', ['-', '<dry-run>']],
  ['a -- -n --x', ['a', '-n', '--x']],
  ['--no-traverse', ['<no-traverse>']],
])('%s', (words, tokens) => {
  expect(read(words)).toEqual(tokens);
});

test.each([
  ['--nosuch', 'unknown flag: --nosuch'],
  ['--dryrun', 'unknown flag: --dryrun (did you mean --dry-run?)'],
  ['--Dry-Run', 'unknown flag: --Dry-Run (did you mean --dry-run?)'],
  ['-Z', 'unknown flag: -Z'],
  ['-vZ', 'unknown flag: -Z in -vZ'],
  ['--transfers', 'flag needs an argument: --transfers'],
  ['-f', 'flag needs an argument: -f'],
  ['--=x', 'bad flag syntax: --=x'],
  ['---x', 'bad flag syntax: ---x'],
  ['--head 3', 'unknown flag: --head (it is a flag of cat)'],
])('%s is refused', (words, message) => {
  expect(() => read(words)).toThrow(expect.objectContaining({ code: 'command-line', message }));
});

test('a flag of rclone for which another command is there names that', () => {
  const message = 'unknown flag: --check (see "syncer doctor --online" for a newer version)';
  expect(() => read('--check', 'version')).toThrow(expect.objectContaining({ message }));
});

test('a letter and a name mean what the command says', () => {
  expect(read('-s --size -C', 'tree')).toEqual(['<tree-size>', '<tree-size>', '<tree-color>']);
  expect(read('-s x', 'lsf')).toEqual(['<separator=x>']);
  expect(read('--size 5', 'rcat')).toEqual(['<rcat-size=5>']);
  expect(read('-d', 'tree')).toEqual(['<dirs-only>']);
  expect(read('-d', 'lsf')).toEqual(['<dir-slash>']);
});

test('reading stops where the reader stops', () => {
  const tokens = readTokens(['-n', 'copy', '--nosuch'], flagSetOf(COMMANDS, undefined));
  expect(tokens.next().value).toMatchObject({ typed: '-n' });
  expect(tokens.next().value).toEqual({ kind: 'arg', text: 'copy' });
});
