import { SyncerError } from '../core/errors.ts';
import { parseGoFloat } from './go-float.ts';

/** Parses a boolean by Go's rules (`strconv.ParseBool`). Throws `usage`. */
export function readBool(text: string): boolean {
  if (/^(1|t|T|TRUE|true|True)$/.test(text)) return true;
  if (/^(0|f|F|FALSE|false|False)$/.test(text)) return false;
  throw new SyncerError('usage', `not true or false: "${text}"`);
}

/** Go's notations of whole numbers, with the prefix of each in JavaScript. */
const FORMS: readonly (readonly [RegExp, string])[] = [
  [/^(?:0|[1-9](?:_?\d)*)$/, ''],
  [/^0[xX](?:_?[\da-fA-F])+$/, '0x'],
  [/^0[bB](?:_?[01])+$/, '0b'],
  [/^0[oO]?(?:_?[0-7])+$/, '0o'],
];

/**
 * Parses a whole number by Go's rules (`strconv.ParseInt` with base 0): `0x10`, `0o17`, `010` (octal), `0b1`, `1_000`.
 * Spaces around it are ignored, as in rclone. Throws `usage`.
 */
export function readInt(text: string): number {
  const [, sign, digits = ''] = /^([+-]?)(.*)$/s.exec(text.trim()) ?? [];
  const form = FORMS.find(([pattern]) => pattern.test(digits));
  if (form === undefined) throw new SyncerError('usage', `not a whole number: "${text}"`);
  const [, prefix] = form;
  const value = Number(digits.replaceAll('_', '').replace(/^0[xobXOB]?(?=.)/, prefix));
  if (!Number.isSafeInteger(value))
    throw new SyncerError('usage', `number out of range: "${text}"`);
  return sign === '-' && value !== 0 ? -value : value;
}

/** Parses a decimal number by Go's rules, including infinities, with spaces around it. Throws `usage`. */
export function readFloat(text: string): number {
  const infinity = /^([+-]?)inf(?:inity)?$/i.exec(text.trim());
  if (infinity !== null) {
    return infinity[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  }
  const value = parseGoFloat(text.trim());
  if (value === undefined) throw new SyncerError('usage', `not a number: "${text}"`);
  return value;
}
