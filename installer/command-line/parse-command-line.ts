import { SyncerError } from '../../src/core/errors.ts';
import { FLAGS, type FlagName, type InstallerFlag } from './flag-table.ts';

/** What the program can be told to do by a word; `menu` where no word says it. */
export const ACTIONS = ['install', 'uninstall', 'upgrade', 'help', 'version'] as const;

/** What the program is told to do. */
export type Action = (typeof ACTIONS)[number] | 'menu';

/** The values of flags as they were written; a flag without a value holds the empty text. */
export type FlagTexts = Readonly<Partial<Record<FlagName, string>>>;

/** The command line, read. */
export interface InstallerCommandLine {
  readonly action: Action;
  readonly flags: FlagTexts;
}

/** Reads the words after the program's name. Throws `usage` for what it does not know. */
export function parseCommandLine(argv: readonly string[]): InstallerCommandLine {
  const flags: Partial<Record<FlagName, string>> = {};
  let action: Action | undefined;
  const words = [...argv];
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word.startsWith('-')) {
      const { flag, value } = readFlag(word, words);
      flags[flag.name as FlagName] = value;
    } else if (action === undefined) action = readAction(word);
    else throw new SyncerError('usage', `unexpected argument "${word}" after "${action}"`);
  }
  if (flags.help !== undefined) action = 'help';
  return { action: action ?? 'menu', flags };
}

function readAction(word: string): Action {
  const action = ACTIONS.find((one) => one === word);
  if (action !== undefined) return action;
  throw new SyncerError('usage', `unknown command "${word}": use ${ACTIONS.join(', ')}`);
}

function readFlag(word: string, rest: string[]): { flag: InstallerFlag; value: string } {
  const [, dashes = '', name = '', written] = /^(--?)([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
  const flags: readonly InstallerFlag[] = FLAGS;
  const flag = flags.find((one) => name === (dashes === '--' ? one.name : one.short));
  if (flag === undefined) {
    throw new SyncerError('usage', `unknown flag "${dashes}${name}": see webhook-installer --help`);
  }
  if (flag.value === undefined) {
    if (written !== undefined) {
      throw new SyncerError('usage', `the flag ${dashes}${name} takes no value`);
    }
    return { flag, value: '' };
  }
  const value = written ?? rest.shift();
  if (value === undefined || value === '') {
    throw new SyncerError('usage', `the flag ${dashes}${name} needs a value: ${flag.value}`);
  }
  return { flag, value };
}
