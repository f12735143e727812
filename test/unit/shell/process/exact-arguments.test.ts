import { expect, test } from 'vitest';
import { nameToBytes } from '../../../../src/core/name-bytes.ts';
import { exactArguments } from '../../../../src/shell/process/own-command-line.ts';

const commandLine = (...words: (string | Buffer)[]) =>
  Buffer.concat(words.flatMap((word) => [Buffer.from(word), Buffer.of(0)]));

const BAD = Buffer.from([0x62, 0xff, 0xe9, 0x63]);

test('bytes that are not UTF-8 are read from the command line', () => {
  const read = () => commandLine('node', '--flag', 'syncer.js', 'ls', BAD, 'ü');
  const words = exactArguments(['ls', BAD.toString('utf8'), 'ü'], read);
  expect(words[0]).toBe('ls');
  expect(nameToBytes(words[1] ?? '')).toEqual(BAD);
  expect(words[2]).toBe('ü');
});

test('a replacement character that was typed stays', () => {
  const argv = ['ls', 'a\ufffd'];
  expect(exactArguments(argv, () => commandLine('node', 'x.js', ...argv))).toEqual(argv);
});

test('nothing is read where every word is whole', () => {
  const argv = ['ls', 'ü'];
  const read = () => {
    throw new Error('read all the same');
  };
  expect(exactArguments(argv, read)).toBe(argv);
});

test.each([
  [
    'cannot be read',
    () => {
      throw new Error('no /proc');
    },
  ],
  ['is another one', () => commandLine('node', 'x.js', 'rm', BAD)],
  ['is too short', () => commandLine(BAD)],
])('the words stay where the command line %s', (_, read) => {
  const argv = ['ls', BAD.toString('utf8')];
  expect(exactArguments(argv, read)).toBe(argv);
});
