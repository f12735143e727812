import { type Flags, SyntaxFault } from './syntax-tree.ts';
import type { TextReader } from './text-reader.ts';

/** What an opening parenthesis begins: a group, or only other flags for the rest of the one it stands in. */
export interface GroupStart {
  readonly flags: Flags;
  readonly opens: boolean;
}

const NAMED = /\(\?P<[0-9A-Za-z_]+>/y;
const FLAGGED = /\(\?([imsU]*)(?:-([imsU]+))?([:)])/y;

/** Reads `(`, `(?P<name>`, `(?i:` or `(?i)`; the reader is at the parenthesis. */
export function parseGroupStart(reader: TextReader, flags: Flags): GroupStart {
  if (!reader.startsWith('(?')) {
    reader.take('(');
    return { flags, opens: true };
  }
  if (reader.startsWith('(?P<')) return parseNamed(reader, flags);
  const match = reader.takeMatch(FLAGGED);
  if (match === undefined) {
    const text = /^\(\?.?/su.exec(reader.rest)?.[0] ?? '';
    throw new SyntaxFault(`invalid or unsupported Perl syntax: \`${text}\``);
  }
  const [, on = '', off = '', end] = match;
  const isOn = (letter: string, before: boolean) =>
    !off.includes(letter) && (on.includes(letter) || before);
  return {
    flags: {
      foldCase: isOn('i', flags.foldCase),
      multiLine: isOn('m', flags.multiLine),
      dotAll: isOn('s', flags.dotAll),
    },
    opens: end === ':',
  };
}

function parseNamed(reader: TextReader, flags: Flags): GroupStart {
  if (reader.takeMatch(NAMED) === undefined) {
    throw new SyntaxFault(`invalid named capture: \`${reader.rest}\``);
  }
  return { flags, opens: true };
}
