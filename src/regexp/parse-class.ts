import { type ClassSource, posixClass, rangeSource, setOf } from './code-point-set.ts';
import { parseClassEscape, parseEscape } from './parse-escape.ts';
import { type CodePointSet, SyntaxFault } from './syntax-tree.ts';
import type { TextReader } from './text-reader.ts';

const POSIX = /\[:.*?:\]/sy;

/** A bracketed class; the reader is at its `[`. */
export function parseClass(reader: TextReader, foldCase: boolean): CodePointSet {
  const whole = reader.rest;
  reader.take('[');
  const negated = reader.take('^');
  const parts: ClassSource[] = [];
  // A ] that comes first stands for itself.
  while (parts.length === 0 || !reader.startsWith(']')) {
    if (reader.done) throw new SyntaxFault(`missing closing ]: \`${whole}\``);
    parts.push(parsePart(reader, whole));
  }
  reader.take(']');
  return setOf(parts.join(''), foldCase, negated);
}

function parsePart(reader: TextReader, whole: string): ClassSource {
  const posix = reader.takeMatch(POSIX);
  if (posix !== undefined) return posixClass(posix[0]);
  return parseClassEscape(reader) ?? parseRange(reader, whole);
}

function parseRange(reader: TextReader, whole: string): ClassSource {
  const start = reader.at;
  const low = parseCharacter(reader, whole);
  const isRange = reader.startsWith('-') && !/^-(?:\]|$)/.test(reader.rest);
  if (!isRange) return rangeSource(low, low);
  reader.take('-');
  const high = parseCharacter(reader, whole);
  if (high < low) {
    throw new SyntaxFault(`invalid character class range: \`${reader.since(start)}\``);
  }
  return rangeSource(low, high);
}

function parseCharacter(reader: TextReader, whole: string): number {
  if (reader.done) throw new SyntaxFault(`missing closing ]: \`${whole}\``);
  if (reader.startsWith('\\')) return parseEscape(reader);
  return reader.next().codePointAt(0) ?? 0;
}
