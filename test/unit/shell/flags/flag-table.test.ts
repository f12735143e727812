import { expect, test } from 'vitest';
import { COMMANDS } from '../../../../commands/index.ts';
import { FLAG_GROUPS } from '../../../../src/core/flags.ts';
import { allUsages } from '../../../../src/shell/command-line/command.ts';
import { allFlags, commonFlags, ownFlags } from '../../../../src/shell/command-line/flag-set.ts';
import { readFlagValue } from '../../../../src/shell/command-line/flag-value.ts';

const table = allFlags(COMMANDS).map(({ key, definition }) => [key, definition] as const);

test.each(table)('--%s is well declared', (key, definition) => {
  const { name = key, short, type, help, group, commands, values, default: usual } = definition;
  expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
  expect(short ?? 'x').toMatch(/^[A-Za-z]$/);
  expect(help).toMatch(/^\S.*[^.\s]$/);
  expect(FLAG_GROUPS).toHaveProperty(group);
  // Ignored flags may be those of some commands only.
  if (group !== 'accepted') expect(group === 'command').toBe(commands !== undefined);
  if (values !== undefined) expect(type).toBe('string');
  if (usual !== undefined && type === 'string') {
    expect(readFlagValue(definition, String(usual), undefined, 0)).toBe(usual);
  }
});

test('a command has no name and no letter twice', () => {
  for (const { name } of allUsages(COMMANDS)) {
    const own = ownFlags(COMMANDS, name);
    const names = own.map((flag) => flag.name);
    expect(new Set(names).size).toBe(names.length);
    const shorts = own.flatMap(({ definition }) => definition.short ?? []);
    expect(new Set(shorts).size).toBe(shorts.length);
  }
  const shorts = commonFlags().flatMap(({ definition }) => definition.short ?? []);
  expect(new Set(shorts).size).toBe(shorts.length);
});

test('the commands that flags are declared for exist', () => {
  const declared = table.flatMap(([, { commands = [] }]) => commands);
  const known = allUsages(COMMANDS).map(({ name }) => name);
  expect([...new Set(declared)].filter((name) => !known.includes(name))).toEqual([]);
});

test('a key names one flag, whatever capability has it', () => {
  const keys = table.map(([key]) => key);
  expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
});

test('why takes every flag by which a copy, a sync or a move decides', () => {
  const missing = table.flatMap(([key, { commands = [], decides }]) => {
    const isOfRun = ['copy', 'sync', 'move'].some((name) => commands.includes(name));
    return decides === true && isOfRun && !commands.includes('why') ? [key] : [];
  });
  expect(missing).toEqual([]);
});
