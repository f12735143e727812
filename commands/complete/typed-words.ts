import { allUsages, type CommandSummary } from '../../src/shell/command-line/command.ts';
import { type FlagSet, flagSetOf, type KnownFlag } from '../../src/shell/command-line/flag-set.ts';

/** The words before the one being typed, parsed as far as possible. */
export interface TypedWords {
  /** The arguments, the command first. */
  readonly args: readonly string[];
  /** The flag whose value comes next. */
  readonly awaiting: KnownFlag | undefined;
  /** `--` was typed: no flags can follow. */
  readonly flagsEnded: boolean;
  /** Values of flags, by name. */
  readonly values: ReadonlyMap<string, string>;
  readonly flags: FlagSet;
}

/** Parses the words before the one being typed; ignores errors in them. */
export function readTypedWords(
  words: readonly string[],
  commands: readonly CommandSummary[],
): TypedWords {
  const paths = allUsages(commands).map(({ name }) => name);
  const first = scan(words, flagSetOf(commands, undefined));
  const [command = '', sub = ''] = first.args;
  const path = [`${command} ${sub}`, command].find((name) => paths.includes(name));
  const flags = flagSetOf(commands, path);
  return path === undefined ? { ...first, flags } : { ...scan(words, flags), flags };
}

function scan(words: readonly string[], flags: FlagSet): Omit<TypedWords, 'flags'> {
  const args: string[] = [];
  const values = new Map<string, string>();
  let awaiting: KnownFlag | undefined;
  for (const [index, word] of words.entries()) {
    if (awaiting !== undefined) {
      values.set(awaiting.name, word);
      awaiting = undefined;
    } else if (word === '--') {
      args.push(...words.slice(index + 1));
      return { args, values, awaiting, flagsEnded: true };
    } else if (word.startsWith('-') && word.length > 1) {
      const { flag, value } = flagOf(word, flags);
      if (flag === undefined) continue;
      if (value !== undefined) values.set(flag.name, value);
      else if (takesValue(flag)) awaiting = flag;
    } else {
      args.push(word);
    }
  }
  return { args, values, awaiting, flagsEnded: false };
}

/** The flag of a word that starts with `-`; of several letters the last one, which alone can take a value. */
function flagOf(word: string, { byName, byShort }: FlagSet): { flag?: KnownFlag; value?: string } {
  if (word.startsWith('--')) {
    const equals = word.indexOf('=');
    const flag = byName.get(word.slice(2, equals < 0 ? undefined : equals));
    if (flag === undefined) return {};
    return equals < 0 ? { flag } : { flag, value: word.slice(equals + 1) };
  }
  for (const [index, letter] of [...word].entries()) {
    const flag = index === 0 ? undefined : byShort.get(letter);
    if (flag === undefined || !takesValue(flag)) continue;
    const value = word.slice(index + 1).replace(/^=/, '');
    return value === '' ? { flag } : { flag, value };
  }
  return {};
}

function takesValue({ definition: { type, bareValue } }: KnownFlag): boolean {
  return type !== 'bool' && type !== 'count' && bareValue === undefined;
}
