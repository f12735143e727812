import { type ErrorDetails, SyncerError } from '../../core/errors.ts';
import type { FlagSet, KnownFlag } from './flag-set.ts';
import { nearestName } from './nearest-name.ts';

/** An argument, or a flag with the text of its value. */
export type CommandToken = { readonly kind: 'arg'; readonly text: string } | FlagToken;

/** A flag with the text of its value. */
export interface FlagToken {
  readonly kind: 'flag';
  readonly flag: KnownFlag;
  /** As typed, without the value: `--dry-run`, `-n`. */
  readonly typed: string;
  /** Absent for a flag without a value. */
  readonly value?: string;
}

/**
 * Reads a command line by the rules of Go's pflag, as rclone does: flags and arguments in any order, `--flag=value`,
 * `--flag value`, `-x`, `-xyz`, `-x=value`, `-xvalue`, `-x value`; `--` ends the flags. Yields one token at a time, so
 * that a caller can stop at the first argument. Throws `usage` for an unknown flag or a missing value.
 */
export function* readTokens(argv: readonly string[], flags: FlagSet): Generator<CommandToken> {
  const rest = [...argv];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--') {
      for (const text of rest) yield { kind: 'arg', text };
      return;
    }
    if (word.startsWith('--')) yield readLong(word, rest, flags);
    else if (word.startsWith('-') && word.length > 1) yield* readShorts(word, rest, flags);
    else yield { kind: 'arg', text: word };
  }
}

/** A flag as one word, by its long name: `--transfers=8`. */
export function flagWord({ flag, value }: FlagToken): string {
  return `--${flag.name}${value === undefined ? '' : `=${value}`}`;
}

/**
 * A command line with more flags, which win over those in it: they come last, but before a `--`. Throws `usage` for words
 * that cannot be read, such as a flag at the end that would take the next word as its value.
 */
export function withFlags(
  words: readonly string[],
  more: readonly string[],
  flags: FlagSet,
): readonly string[] {
  const tokens = [...readTokens(words, flags)];
  if (!words.includes('--')) return [...words, ...more];
  const args = tokens.flatMap((token) => (token.kind === 'arg' ? [token.text] : []));
  const own = tokens.flatMap((token) => (token.kind === 'flag' ? [flagWord(token)] : []));
  return [...own, ...more, '--', ...args];
}

function readLong(word: string, rest: string[], flags: FlagSet): CommandToken {
  const equals = word.indexOf('=');
  const typed = equals < 0 ? word : word.slice(0, equals);
  const name = typed.slice(2);
  if (name === '' || name.startsWith('-')) {
    throw new SyncerError('command-line', `bad flag syntax: ${word}`);
  }
  const flag = flags.byName.get(name);
  if (flag === undefined) throw unknownName(typed, name, flags);
  if (equals >= 0) return { kind: 'flag', flag, typed, value: word.slice(equals + 1) };
  if (standsAlone(flag)) return { kind: 'flag', flag, typed };
  return { kind: 'flag', flag, typed, value: nextWord(rest, typed) };
}

function* readShorts(word: string, rest: string[], flags: FlagSet): Generator<CommandToken> {
  let letters = word.slice(1);
  while (letters !== '') {
    const typed = `-${letters[0]}`;
    const after = letters.slice(1);
    const flag = flags.byShort.get(letters[0] ?? '');
    if (flag === undefined) {
      const within = word === typed ? '' : ` in ${word}`;
      throw new SyncerError('command-line', `unknown flag: ${typed}${within}`);
    }
    if (after.startsWith('=') && after.length > 1) {
      yield { kind: 'flag', flag, typed, value: after.slice(1) };
      return;
    }
    if (standsAlone(flag)) {
      yield { kind: 'flag', flag, typed };
      letters = after;
      continue;
    }
    yield { kind: 'flag', flag, typed, value: after === '' ? nextWord(rest, typed) : after };
    return;
  }
}

function nextWord(rest: string[], typed: string): string {
  const word = rest.shift();
  if (word === undefined) throw new SyncerError('command-line', `flag needs an argument: ${typed}`);
  return word;
}

/** Whether a flag takes no value, or needs none. */
export function standsAlone({ definition }: KnownFlag): boolean {
  const { type, bareValue } = definition;
  return type === 'bool' || type === 'count' || bareValue !== undefined;
}

function unknownName(typed: string, name: string, flags: FlagSet): SyncerError {
  const nearest = nearestName(name, flags.byName.keys());
  const why = flags.elsewhere?.(name) ?? (nearest && `did you mean --${nearest}?`);
  const hint = why === undefined ? '' : ` (${why})`;
  return new SyncerError('command-line', `unknown flag: ${typed}${hint}`, hinted(hint));
}

/** What a usage error carries if its message has a hint. */
export const hinted = (hint: string): ErrorDetails =>
  hint === '' ? {} : { nameFault: 'misspelt' };
