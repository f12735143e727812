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

const ESCAPED = /["\\<>&\0-\x1f\u2028\u2029]|[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff]/g;

/** What most names are made of, and what is never escaped. */
const PLAIN = /^[\w !#$%'()*+,\-./:;=?@[\]^`{|}~]*$/;

/**
 * A string as Go's `encoding/json` writes it: `<`, `>`, `&` and line separators escaped, `\n`, `\r`, `\t` by
 * letter, other control characters as `\u001b`, each byte that is not UTF-8 as `\ufffd`.
 */
export function goJsonString(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`;
  return `"${text.replace(ESCAPED, escapeOne)}"`;
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
