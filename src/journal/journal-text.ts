import { fnv1a } from '../kit/fnv1a.ts';

/**
 * A line of a journal as it is written: with its sum, which no changed byte fits, and its number in the file, from 1,
 * by which lines that are missing, repeated or swapped are found.
 */
export function journalText(json: string, number: number): string {
  const rest = json.slice(1);
  return `{"sum":[${fnv1a(rest, number)},${number}],${rest}\n`;
}

const SUM = /^\{"sum":(?:(\d+)|\[(\d+),(\d+)\]),/;

/** A line without its sum. */
export interface CheckedLine {
  /** `undefined` if it is not what was written. */
  readonly json: string | undefined;
  /** Lines of earlier versions have no number, or no sum either. */
  readonly has: 'nothing' | 'sum' | 'number';
  /** The number in the file; 0 if it has none. */
  readonly number: number;
}

/** Compares a line with its sum. */
export function checkedLine(line: string): CheckedLine {
  const found = SUM.exec(line);
  if (found === null) return { json: line, has: 'nothing', number: 0 };
  const [whole, sum, sumBefore = sum, written] = found;
  const rest = line.slice(whole.length);
  const number = Number(written ?? 0);
  const json = Number(sumBefore) === fnv1a(rest, number) ? `{${rest}` : undefined;
  return { json, has: written === undefined ? 'sum' : 'number', number };
}
