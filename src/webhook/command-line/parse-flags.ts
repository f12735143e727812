import { FLAGS, type Flag, FlagFault, type FlagKinds, flagValue } from './flag-table.ts';

/** Every flag's value by its name. */
export type FlagValues = {
  readonly [F in (typeof FLAGS)[number] as F[0]]: FlagKinds[F[1]];
};

/** `-h` or `-help`: the help text is wanted. */
export class HelpWanted extends Error {}

/**
 * Reads a command line as Go's `flag` package does; it ends at the first word that is no flag. Throws `FlagFault`,
 * and `HelpWanted`.
 */
export function parseFlags(words: readonly string[]): FlagValues {
  const values = new Map<string, string | number | boolean | string[]>();
  for (const [name, kind, , standard] of FLAGS as readonly Flag[]) {
    values.set(name, standard ?? { string: '', int: 0, bool: false, list: [] as string[] }[kind]);
  }
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (!word.startsWith('-') || word === '-' || word === '--') break;
    const bare = word.replace(/^--?/, '');
    if (/^[-=]|^$/.test(bare)) throw new FlagFault(`bad flag syntax: ${word}`);
    const equals = bare.indexOf('=');
    const name = equals < 0 ? bare : bare.slice(0, equals);
    let text = equals < 0 ? undefined : bare.slice(equals + 1);
    const flag = (FLAGS as readonly Flag[]).find(([known]) => known === name);
    if (flag === undefined) {
      if (name === 'h' || name === 'help') throw new HelpWanted();
      throw new FlagFault(`flag provided but not defined: -${name}`);
    }
    if (text === undefined && flag[1] !== 'bool') {
      text = words[++at];
      if (text === undefined) throw new FlagFault(`flag needs an argument: -${name}`);
    }
    values.set(name, flagValue(flag, text ?? 'true', values.get(name)));
  }
  return Object.fromEntries(values) as unknown as FlagValues;
}
