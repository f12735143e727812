import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../commands/index.ts';
import { readSourceFiles } from '../../scripts/checks/source-files.ts';
import { findUnusedFlags } from '../../scripts/checks/unused-flags.ts';
import { BACKENDS } from '../../src/backends/index.ts';
import { PASSES } from '../../src/engine/passes/list.ts';
import { RULE_FLAGS } from '../../src/engine/rules/flags.ts';
import { allUsages } from '../../src/shell/command-line/command.ts';
import { allFlags } from '../../src/shell/command-line/flag-set.ts';
import { ACCEPTED_FLAGS } from '../../src/shell/flags/accepted-flags.ts';
import { LOCAL_FLAGS } from '../../src/shell/flags/copy-flags.ts';
import { commandHelp, flagsHelp } from '../../src/shell/help/help-text.ts';

const flags = allFlags(COMMANDS).map(({ key, definition }) => [key, definition] as const);
const keys = flags.map(([key]) => key);
const sources = await readSourceFiles(resolve(import.meta.dirname, '../..'), ['src', 'commands']);
const readers = sources.filter(({ path }) => !path.startsWith('src/shell/flags/'));

test('every flag but those that are only accepted acts: some code reads it', () => {
  const acting = keys.filter((key) => !(key in ACCEPTED_FLAGS));
  expect(acting.length).toBeGreaterThan(50);
  const groups = { LOCAL_FLAGS: Object.keys(LOCAL_FLAGS), RULE_FLAGS: Object.keys(RULE_FLAGS) };
  expect(findUnusedFlags(acting, readers, groups)).toEqual([]);
});

test('the flags of every pass are in the table', () => {
  const ofPasses = PASSES.flatMap(({ flags }) => Object.keys(flags));
  expect(ofPasses.filter((key) => !keys.includes(key))).toEqual([]);
  // Only a flag without a pass can be one that others stand behind.
  expect(PASSES.filter(({ after }) => ofPasses.includes(after))).toEqual([]);
});

test('the flags for local disks are options of the backend', () => {
  const options = BACKENDS.find(({ type }) => type === 'local')?.options.map(({ name }) => name);
  const expected = Object.keys(LOCAL_FLAGS).map((key) => key.replaceAll('-', '_'));
  expect(options).toEqual(expect.arrayContaining(expected));
});

test('every flag stands in the help of the commands that know it', () => {
  const usages = allUsages(COMMANDS);
  const names = usages.map(({ name }) => name);
  const help = new Map(
    usages.map((command) => [command.name, commandHelp(command, { commands: COMMANDS })]),
  );
  const common = flagsHelp();
  const missing = flags.flatMap(([key, { name = key, commands }]) =>
    (commands ?? ['']).filter((command) => {
      const text = command === '' ? common : (help.get(command) ?? '');
      return !new RegExp(`--${name}(?![\\w-])`).test(text);
    }),
  );
  expect(missing).toEqual([]);
  expect(
    flags.flatMap(([, { commands = [] }]) => commands).filter((c) => !names.includes(c)),
  ).toEqual([]);
});

test('a flag belongs to one that exists', () => {
  const parts = flags.flatMap(([, { of }]) => of ?? []);
  expect(parts.length).toBeGreaterThan(10);
  expect(parts.filter((of) => !keys.includes(of))).toEqual([]);
});

test('the help of every flag is one line without a full stop', () => {
  expect(flags.filter(([, { help }]) => !/^[^\n]*[^\n.\s]$/.test(help))).toEqual([]);
});

test('planted faults are found: flags that are parsed and ignored', () => {
  const files = (text: string) => [{ path: 'commands/a.ts', text }];
  const ignored = (text: string) => findUnusedFlags(['dry-run', 'checksum'], files(text));
  expect(ignored('const { flags } = invocation;')).toEqual(['dry-run', 'checksum']);
  expect(ignored("flags['dry-run'] && flags.checksum")).toEqual([]);
  expect(ignored("flags['dry-run-x'] && flags.checksums && filterFlags.x")).toEqual([
    'dry-run',
    'checksum',
  ]);
  expect(ignored("const { checksum, 'dry-run': dry } = invocation.flags;")).toEqual([]);
  expect(ignored('flags[`dry-$\x7bword}`]')).toEqual(['checksum']);
  expect(ignored('function f({ checksum = 1 }: Flags) {}')).toEqual(['dry-run']);
  expect(ignored('const { checksum } = options;')).toEqual(['dry-run', 'checksum']);
  expect(ignored("for (const flag of ['dry-run']) use(flags[flag]);")).toEqual(['checksum']);
  expect(ignored("for (const flag of ['dry-run']) use(flag);")).toEqual(['dry-run', 'checksum']);
  const group = { A_FLAGS: ['checksum'] };
  expect(findUnusedFlags(['checksum'], files('flags[name]; A_FLAGS'), group)).toEqual([]);
  expect(findUnusedFlags(['checksum'], files('A_FLAGS'), group)).toEqual(['checksum']);
  expect(findUnusedFlags([...keys, 'no-such-flag'], readers)).toContain('no-such-flag');
});
