/** A JSON value. Objects and maps keep the order of their fields; `undefined` fields are omitted. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | ReadonlyMap<string, Json>
  | Fields;

interface Fields {
  readonly [key: string]: Json | undefined;
}

/** Formats a value as Go's `encoding/json` does, to the byte: on one line, or with `indent` as `MarshalIndent`. */
export function goJson(value: Json, indent?: string, outer = ''): string {
  if (typeof value === 'string') return goJsonString(value);
  if (value === null || typeof value !== 'object') return String(value);
  const inner = indent === undefined ? '' : outer + indent;
  const comma = indent === undefined ? ',' : `,\n${inner}`;
  const colon = indent === undefined ? ':' : ': ';
  const isList = Array.isArray(value);
  const isMap = value instanceof Map;
  let text = '';
  for (const key of isMap ? value.keys() : Object.keys(value)) {
    const item: Json | undefined = isMap ? value.get(key) : (value as Fields)[key];
    if (item === undefined) continue;
    if (text !== '') text += comma;
    if (!isList) text += goJsonString(key) + colon;
    text += goJson(item, indent, inner);
  }
  if (text !== '' && indent !== undefined) text = `\n${inner}${text}\n${outer}`;
  return isList ? `[${text}]` : `{${text}}`;
}

/** The fields in the order in which Go writes those of a map. */
export function sortedByKey<T>(fields: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const ESCAPED = /["\\<>&\0-\x1f\u2028\u2029]|[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff]/g;

/** What most names are made of, and what is never escaped. */
const PLAIN = /^[\w !#$%'()*+,\-./:;=?@[\]^`{|}~]*$/;

/**
 * A string as Go's `encoding/json` writes it: `<`, `>`, `&` and line separators escaped, `\n`, `\r`, `\t` by
 * letter, other control characters as `\u001b`, each byte that is not UTF-8 as `\ufffd`.
 */
export function goJsonString(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`;
  // Short texts do without the table of escapes.
  if (text.length < 64) return `"${text.replace(ESCAPED, escapeOne)}"`;
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const last = text.charCodeAt(at + PIECE - 1);
    // A pair of surrogates is not taken apart.
    const end = at + PIECE + (last >= 0xd800 && last <= 0xdbff ? 1 : 0);
    pieces.push(escapePiece(text.slice(at, end)));
    at = end;
  }
  return `"${pieces.join('')}"`;
}

/** Code units that are escaped at once. `replace` takes minutes and gigabytes for a text of 100 MB. */
const PIECE = 4096;

let escapes: readonly (readonly number[] | undefined)[] | undefined;

function escapePiece(piece: string): string {
  if (!piece.isWellFormed()) return piece.replace(ESCAPED, escapeOne);
  escapes ??= Array.from({ length: 0x202a }, (_, code) => {
    const char = String.fromCharCode(code);
    if (char.search(ESCAPED) < 0) return undefined;
    const escaped = escapeOne(char);
    return Array.from({ length: escaped.length }, (_, i) => escaped.charCodeAt(i));
  });
  const units = new Uint16Array(piece.length * '\\u2028'.length);
  let length = 0;
  for (let i = 0; i < piece.length; i++) {
    const code = piece.charCodeAt(i);
    const escaped = escapes[code];
    if (escaped === undefined) units[length++] = code;
    else for (const unit of escaped) units[length++] = unit;
  }
  return Reflect.apply(String.fromCharCode, undefined, units.subarray(0, length));
}

function escapeOne(char: string): string {
  if (char.length === 2) return char;
  switch (char) {
    case '"':
      return '\\"';
    case '\\':
      return '\\\\';
    case '\n':
      return '\\n';
    case '\r':
      return '\\r';
    case '\t':
      return '\\t';
  }
  const unit = char.charCodeAt(0);
  const shown = unit >= 0xd800 && unit <= 0xdfff ? 0xfffd : unit;
  return `\\u${shown.toString(16).padStart(4, '0')}`;
}
