import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../../../commands/index.ts';
import { FLAG_GROUPS, type FlagDefinition } from '../../../../src/core/flags.ts';
import { allUsages } from '../../../../src/shell/command-line/command.ts';
import { commonFlags, ownFlags } from '../../../../src/shell/command-line/flag-set.ts';
import { readFlagValue } from '../../../../src/shell/command-line/flag-value.ts';
import { FLAGS } from '../../../../src/shell/flags/flag-table.ts';

const table = Object.entries<FlagDefinition>(FLAGS);
const root = resolve(import.meta.dirname, '../../../..');

/** The text of all code but the table itself. */
const code = ['src', 'commands']
  .flatMap((dir) =>
    readdirSync(join(root, dir), { recursive: true }).map((path) => join(root, dir, String(path))),
  )
  .filter((path) => path.endsWith('.ts') && !path.includes('/app/flags/'))
  .map((path) => readFileSync(path, 'utf8'))
  .join('\n');

/** Whether code reads the flag: by its key, by a name put together from it, or taken out of the flags. */
function isRead(key: string): boolean {
  const front = key.replace(/[^-]*$/, '');
  const forms = [
    `flags\\.${key}\\b`,
    `['"]${key}['"]`,
    ...(front === '' ? [] : [`flags\\[\`${front}\\$`]),
    `readonly ${key}\\??:`,
    `\\b${key}\\b[^\\n]*\\} = (\\w+\\.)?flags`,
  ];
  return new RegExp(forms.join('|')).test(code);
}

test.each(table)('--%s acts: something reads it', (key, { group }) => {
  expect(group === 'local' || group === 'accepted' || isRead(key)).toBe(true);
});

test('a flag that nothing reads is found', () => {
  expect(isRead('no-such-flag')).toBe(false);
  expect(isRead('nosuchflag')).toBe(false);
});

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
    const own = ownFlags(name);
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
