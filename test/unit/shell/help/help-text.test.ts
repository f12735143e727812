import { expect, test } from 'vitest';
import { COMMANDS } from '../../../../commands/index.ts';
import { OWN_BACKENDS } from '../../../../src/backends/index.ts';
import {
  allUsages,
  argumentCounts,
  subcommandsOf,
} from '../../../../src/shell/command-line/command.ts';
import { parseCommandLine } from '../../../../src/shell/command-line/parse-command-line.ts';
import { backendFlagsHelp } from '../../../../src/shell/help/backend-help.ts';
import { filtersHelp } from '../../../../src/shell/help/filters-help.ts';
import {
  commandLines,
  fillText,
  helpStyle,
  UNWRAPPED,
} from '../../../../src/shell/help/help-style.ts';
import {
  commandHelp,
  commandsHelp,
  examplesOf,
  flagsHelp,
  programHelp,
  TOPICS,
} from '../../../../src/shell/help/help-text.ts';

const shown = COMMANDS.filter(({ hidden }) => hidden !== true);
const usages = allUsages(shown);

function pages(columns: number, bold = false): string[] {
  const style = { columns, bold };
  const ofCommands = usages.map((usage) => {
    const command = shown.find(({ name }) => name === usage.name);
    const subcommands = command === undefined ? [] : subcommandsOf(command);
    return commandHelp(usage, { commands: COMMANDS, subcommands, style });
  });
  const others = [commandsHelp(COMMANDS, style), flagsHelp(undefined, {}, style)];
  return [programHelp(style), ...ofCommands, ...others, filtersHelp({}, style)];
}

test.each([40, 60, 80, 100])('help fits %i columns', (columns) => {
  const wide = pages(columns)
    .flatMap((page) => page.split('\n'))
    .filter((line) => line.length > columns && line.trim().includes(' '))
    // What is typed as it is, and a name that fits nowhere.
    .filter((line) => !/^ {4}(source|syncer) |^ {2,6}(-\w, )?--\S+( \S+)?$/.test(line));
  expect(wide).toEqual([]);
});

test('the help of the program fits a window, and names every command', () => {
  const help = programHelp({ columns: 80, bold: false });
  expect(help.split('\n').length).toBeLessThanOrEqual(25);
  const names = help.split(/[\s,]+/);
  expect(shown.filter(({ name }) => !names.includes(name))).toEqual([]);
});

test('headings are bold only where they may be', () => {
  expect(pages(80).join('')).not.toContain('\x1b');
  expect(pages(80, true)[0]).toContain('\n\x1b[1mCommands:\x1b[0m\n');
});

test.each([
  ['a pipe', {}, {}, { columns: 80, bold: false }],
  ['a terminal', { isTTY: true, columns: 64 }, {}, { columns: 64, bold: true }],
  ['a wide terminal', { isTTY: true, columns: 240 }, {}, { columns: 100, bold: true }],
  ['NO_COLOR', { isTTY: true, columns: 64 }, { NO_COLOR: '1' }, { columns: 64, bold: false }],
  ['COLUMNS', { isTTY: true, columns: 64 }, { COLUMNS: '50' }, { columns: 50, bold: true }],
  ['COLUMNS in a pipe', {}, { COLUMNS: '50' }, { columns: 50, bold: false }],
])('the style of %s', (_, stdout, env, style) => {
  expect(helpStyle(stdout, env, 'auto')).toEqual(style);
});

test('a list that is longer than a line is broken at its commas, but not in a command', () => {
  expect(fillText('of headers,bodies,auth and more', 16, '  ')).toEqual([
    '  of headers,',
    '  bodies,auth',
    '  and more',
  ]);
  const command = 'syncer ls --dump headers,bodies,requests';
  expect(commandLines(command, { columns: 20, bold: false }).join('\n')).toContain(
    'headers,bodies,requests',
  );
});

test('every command has two examples that its parser accepts, and refers to what exists', () => {
  const names = usages.map(({ name }) => name);
  for (const usage of usages) {
    const { name, see = [] } = usage;
    const examples = examplesOf(usage);
    expect([name, examples.length]).toEqual([name, 2]);
    for (const [example] of examples) expect(`${namedCommand(example)} `).toContain(`${name} `);
    const unknown = see.filter((one) => !names.includes(one) && !Object.hasOwn(TOPICS, one));
    expect([name, unknown]).toEqual([name, []]);
  }
});

/** The command that an example runs; throws if flags or arguments are wrong. */
function namedCommand(example: string): string {
  const own = /(?:^|[|(] ?|\bsudo |\bSYNCER_PLAIN=1 )(syncer\b[^|&<)]*)/.exec(example)?.[1] ?? '';
  const words = [...own.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    (m) => m[1] ?? m[2] ?? m[3] ?? '',
  );
  const argv = words.slice(1);
  const { command, args } = parseCommandLine(argv, {
    commands: COMMANDS,
    backendFlags: [],
    env: {},
    nowMs: 0,
  });
  if (argv.length === 0) return 'home';
  if (argv[0] === '--version') return 'version';
  const name = [`${command} ${args[0]}`, command].find((one) =>
    usages.some((usage) => usage.name === one),
  );
  const usage = usages.find((one) => one.name === name);
  const given = name === command ? args.length : args.length - 1;
  const [least, most] = usage === undefined ? [0, 0] : argumentCounts(usage);
  if (given < least || given > most) throw new Error(`${example}: ${given} arguments`);
  return name ?? '';
}

test('only flags that a command takes are in its help', () => {
  const help = (name: string) => {
    const usage = usages.find((one) => one.name === name);
    return usage === undefined ? '' : commandHelp(usage, { style: UNWRAPPED });
  };
  for (const name of ['sync', 'copy', 'move'])
    expect(help(name)).toMatch(/--dry-run[\s\S]*--progress/);
  for (const name of ['home', 'mounts', 'completion', 'ls', 'version', 'serve'])
    expect(help(name)).not.toMatch(/^ {2}-[nPi], /m);
  expect(help('sync')).toContain('--backup-dir');
});

test('help starts with the flags that people use, and ends with those that belong to another', () => {
  const flagsOf = (text: string) => [...text.matchAll(/^ {2}(?:-\w, | {4})--([\w-]+)/gm)];
  for (const usage of usages) {
    const help = commandHelp(usage, { commands: COMMANDS, style: UNWRAPPED });
    const names = flagsOf(help).map(([, name]) => name);
    expect([usage.name, new Set(names).size]).toEqual([usage.name, names.length]);
    const { often = [] } = usage;
    expect([usage.name, names.slice(0, often.length)]).toEqual([usage.name, often]);
  }
  const sync = usages.find(({ name }) => name === 'sync');
  const help = sync && commandHelp(sync, { commands: COMMANDS, style: UNWRAPPED });
  expect(help).toContain('--csv                    With --dest-after: print CSV\n');
  expect(help?.indexOf('--csv ')).toBeGreaterThan(help?.indexOf('--report ') ?? 0);
  const lsf = usages.find(({ name }) => name === 'lsf');
  expect(lsf && commandHelp(lsf, { commands: COMMANDS })).toMatch(/--csv +Print CSV$/m);
});

test('every option of a backend is in the list of its flags, under the name that rclone uses', () => {
  const all = backendFlagsHelp(undefined, UNWRAPPED);
  for (const { type, aliases = [], options } of OWN_BACKENDS) {
    const shown = aliases[0] ?? type;
    for (const { name } of options)
      expect(all).toMatch(new RegExp(`^ {6}--${shown}-${name.replaceAll('_', '-')}( |$)`, 'm'));
  }
  expect(backendFlagsHelp('drive_provider_a', UNWRAPPED)).toMatch(
    /^Flags for onedrive remotes, also as --drive-provider-a-…:\n/,
  );
  expect(backendFlagsHelp(/^nothing$/, UNWRAPPED)).toBe('');
});
