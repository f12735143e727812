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
  if (typeof value === 'string') return goJsonText(value);
  if (value === null || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `[${value.map(goJson).join(',')}]`;
  if (value === NIL_MAP) return 'null';
  if (value instanceof Map) {
    const members = [...value].sort(([a], [b]) => compareBytes(a, b));
    return `{${members.map(([key, item]) => `${goJsonText(key)}:${goJson(item)}`).join(',')}}`;
  }
  return value.spelled;
}

function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** A text as Go writes it in JSON: `<`, `>`, `&` and line separators escaped, U+FFFD for what is not UTF-8. */
function goJsonText(text: string): string {
  return JSON.stringify(text).replace(/\\(?:u....|.)|[<>&\u2028\u2029]/g, asGoWrites);
}

function asGoWrites(part: string): string {
  if (part === '\\b') return '\\u0008';
  if (part === '\\f') return '\\u000c';
  if (/^\\ud[89a-f]/.test(part)) return '\\ufffd';
  if (part.startsWith('\\')) return part;
  return `\\u${part.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
