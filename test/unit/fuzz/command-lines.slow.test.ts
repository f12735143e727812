import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  bashReply,
  readTypedWords,
  splitShellLine,
  wantedAt,
} from '../../../commands/complete/complete.ts';
import { COMMANDS } from '../../../commands/index.ts';
import { backendFlags } from '../../../src/shell/command-line/backend-flags.ts';
import { allUsages } from '../../../src/shell/command-line/command.ts';
import { allFlags } from '../../../src/shell/command-line/flag-set.ts';
import { nearestName } from '../../../src/shell/command-line/nearest-name.ts';
import { parseCommandLine } from '../../../src/shell/command-line/parse-command-line.ts';
import { hostileText, RUNS, refusesWell } from './hostile-text.ts';

const paths = allUsages(COMMANDS).map(({ name }) => name);
const keys = allFlags(COMMANDS).map(({ key }) => key);
const known = [...paths, ...keys.map((key) => `--${key}`), '-v', '-P', '-nv'];
const word = fc.oneof(
  hostileText,
  fc.constantFrom(...known),
  fc.tuple(fc.constantFrom(...known), hostileText).map(([flag, text]) => `${flag}=${text}`),
);
const words = fc.array(word, { maxLength: 6 });

test('a command line is understood or refused', () => {
  fc.assert(
    fc.property(words, fc.constantFrom('', ...paths), (typed, command) => {
      const argv = command === '' ? typed : [...command.split(' '), ...typed];
      const vocabulary = { commands: COMMANDS, backendFlags: backendFlags(), env: {}, nowMs: 0 };
      refusesWell(() => parseCommandLine(argv, vocabulary));
    }),
    RUNS,
  );
});

test('so are settings of the environment', () => {
  const variable = fc.tuple(fc.constantFrom('SYNCER_', 'RCLONE_'), fc.constantFrom(...keys));
  fc.assert(
    fc.property(variable, hostileText, ([prefix, flag], text) => {
      const env = { [prefix + flag.toUpperCase().replaceAll('-', '_')]: text };
      refusesWell(() =>
        parseCommandLine(['ls', 'x'], { commands: COMMANDS, backendFlags: [], env, nowMs: 0 }),
      );
    }),
    RUNS,
  );
});

test('whatever is typed, something or nothing can follow', () => {
  fc.assert(
    fc.property(words, word, (before, typed) => {
      const wanted = wantedAt(readTypedWords(before, COMMANDS), typed, COMMANDS, []);
      if (wanted.kind === 'words') {
        expect(wanted.words.every(({ text }) => typeof text === 'string')).toBe(true);
      }
    }),
    RUNS,
  );
});

test('a line of a shell: the last word is quoted so that the shell reads it as it was', () => {
  fc.assert(
    fc.property(hostileText, hostileText, (line, name) => {
      splitShellLine(line);
      const candidate = name.replace(/[\0-\x1f\x7f\u00a0\u2000-\uffff]/g, '');
      fc.pre(candidate !== '');
      const reply = bashReply(candidate, { typed: '', quote: '', breaks: [] }, ':=');
      expect(splitShellLine(`syncer ls ${reply}`).typed).toBe(candidate);
    }),
    RUNS,
  );
});

test('the nearest name is found for any', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      const name = nearestName(text, paths);
      expect(name === undefined || paths.includes(name)).toBe(true);
    }),
    RUNS,
  );
});
