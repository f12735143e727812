import { goJsonString } from '../../core/go-json-string.ts';

/** A number as it was spelled in JSON. */
export interface SpelledNumber {
  readonly spelled: string;
}

/** A value of a payload. Bytes of texts that are not UTF-8 are kept as in `nameFromBytes`. */
export type GoValue = string | boolean | null | SpelledNumber | GoValue[] | GoMap;

/** An object; names have no meaning of their own, whatever they are. */
export type GoMap = Map<string, GoValue>;

/** A payload that is not there: JSON's null where an object is wanted. Never changed. */
export const NIL_MAP: GoMap = new Map();

/** A value as Go's `%v` prints it, lists and objects as JSON. */
export function goText(value: GoValue): string {
  if (typeof value === 'string') return value;
  if (value === null) return '<nil>';
  if (typeof value === 'boolean') return String(value);
  return goJson(value);
}

/** A value as Go's `json.Marshal` writes it: no blanks, keys sorted by their bytes. */
export function goJson(value: GoValue): string {
  if (typeof value === 'string') return goJsonString(value);
  if (value === null || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `[${value.map(goJson).join(',')}]`;
  if (value === NIL_MAP) return 'null';
  if (value instanceof Map) {
    const members = [...value].sort(([a], [b]) => compareBytes(a, b));
    return `{${members.map(([key, item]) => `${goJsonString(key)}:${goJson(item)}`).join(',')}}`;
  }
  return value.spelled;
}

function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
