import { SyncerError } from '../../src/core/errors.ts';
import type { FlagSet, KnownFlag } from '../../src/shell/command-line/flag-set.ts';
import { type CommandToken, readTokens } from '../../src/shell/command-line/read-tokens.ts';
import { FLAGS, type FlagName, type InstallerFlag } from './flag-table.ts';

/** What the program can be told to do by a word; `menu` where no word says it. */
export const ACTIONS = ['install', 'uninstall', 'upgrade', 'help', 'version'] as const;

/** The requested action. */
export type InstallerAction = (typeof ACTIONS)[number] | 'menu';

/** The values of flags as they were written; a flag without a value holds the empty text. */
export type FlagTexts = Readonly<Partial<Record<FlagName, string>>>;

/** The command line, read. */
export interface InstallerCommandLine {
  readonly action: InstallerAction;
  readonly flags: FlagTexts;
}

/** Reads the words after the program's name, as syncer reads its own. Throws `command-line` for what it does not know. */
export function parseCommandLine(argv: readonly string[]): InstallerCommandLine {
  // As `version`, and as for most programs; with a value it is the release to install.
  if (argv[0] === '--version' && !/^[^-]/.test(argv[1] ?? ''))
    return { action: 'version', flags: {} };
  const flags: Partial<Record<FlagName, string>> = {};
  let action: InstallerAction | undefined;
  for (const token of readTokens(argv, flagSet())) {
    if (token.kind === 'flag') flags[token.flag.key as FlagName] = textOf(token);
    else if (action === undefined) action = readAction(token.text);
    else
      throw new SyncerError(
        'command-line',
        `unexpected argument "${token.text}" after "${action}"`,
      );
  }
  if (flags.help !== undefined) action = 'help';
  return { action: action ?? 'menu', flags };
}

function flagSet(): FlagSet {
  const known = FLAGS.map(({ name, short, value, help }: InstallerFlag): KnownFlag => {
    const type = value === undefined ? 'bool' : 'string';
    const names = { ...(short && { short }), ...(value && { placeholder: value }) };
    return { key: name, name, definition: { ...names, type, help, group: 'command' } };
  });
  return {
    byName: new Map(known.map((flag) => [flag.name, flag])),
    byShort: new Map(known.map((flag) => [flag.definition.short ?? '', flag])),
  };
}

function readAction(word: string): InstallerAction {
  const action = ACTIONS.find((one) => one === word);
  if (action !== undefined) return action;
  throw new SyncerError('command-line', `unknown command "${word}": use ${ACTIONS.join(', ')}`);
}

function textOf({ flag, typed, value }: Extract<CommandToken, { kind: 'flag' }>): string {
  if (flag.definition.type === 'bool') {
    if (value === undefined) return '';
    throw new SyncerError('command-line', `the flag ${typed} takes no value`);
  }
  if (value) return value;
  throw new SyncerError(
    'command-line',
    `the flag ${typed} needs a value: ${flag.definition.placeholder}`,
  );
}
