import { goQuote } from '../../go/go-quote.ts';
import { FLAGS, type Flag } from './flag-table.ts';

/** Every flag's value by its name. */
export type FlagValues = {
  readonly [F in (typeof FLAGS)[number] as F[0]]: FlagKinds[F[1]];
};

/** What the kinds of flags hold. */
interface FlagKinds {
  readonly string: string;
  readonly int: number;
  readonly bool: boolean;
  readonly list: readonly string[];
}

/** A command line that makes no sense. */
export class FlagFault extends Error {}

/** `-h` or `-help`: the help text is wanted. */
export class HelpWanted extends Error {}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((word) => [word, true] as const),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((word) => [word, false] as const),
]);
const INTEGER =
  /^[-+]?(?:0[xX](?:_?[0-9a-fA-F])+|0[bB](?:_?[01])+|0[oO]?(?:_?[0-7])+|0|[1-9](?:_?\d)*)$/;

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

function flagValue(
  [name, kind]: Flag,
  text: string,
  before: unknown,
): string | number | boolean | string[] {
  if (kind === 'string') return text;
  if (kind === 'bool') {
    const value = BOOLEANS.get(text);
    if (value !== undefined) return value;
    throw new FlagFault(`invalid boolean value ${goQuote(text)} for -${name}: parse error`);
  }
  if (kind === 'int') return integer(name, text);
  if (name === 'header' && !text.includes('=')) {
    const why = 'header flag must be in name=value format';
    throw new FlagFault(`invalid value ${goQuote(text)} for flag -header: ${why}`);
  }
  return [...(before as string[]), text];
}

function integer(name: string, text: string): number {
  const fault = (why: string) =>
    new FlagFault(`invalid value ${goQuote(text)} for flag -${name}: ${why}`);
  if (!INTEGER.test(text)) throw fault('parse error');
  const digits = text.replace(/[-+_]/g, '').replace(/^0(?=[0-7])/, '0o');
  const value = text.startsWith('-') ? -BigInt(digits) : BigInt(digits);
  if (value >= 1n << 63n || value < -(1n << 63n)) throw fault('value out of range');
  return Number(value);
}
