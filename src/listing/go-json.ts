/** A JSON value whose objects keep the order of their fields; a field that is `undefined` is left out. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | { readonly [key: string]: JsonValue | undefined };

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

/** A value on one line. */
export function goJson(value: JsonValue): string {
  if (value === null || typeof value !== 'object') return scalar(value);
  return `{${fields(value, goJson).join(',')}}`;
}

/** A value over several lines, indented with tabs as Go's `MarshalIndent` does. */
export function goJsonIndented(value: JsonValue, indent = ''): string {
  if (value === null || typeof value !== 'object') return scalar(value);
  const inner = `${indent}\t`;
  const lines = fields(value, (field) => goJsonIndented(field, inner), ' ');
  if (lines.length === 0) return '{}';
  return `{\n${inner}${lines.join(`,\n${inner}`)}\n${indent}}`;
}

function fields(
  object: { readonly [key: string]: JsonValue | undefined },
  write: (value: JsonValue) => string,
  gap = '',
): string[] {
  const written: string[] = [];
  for (const key of Object.keys(object)) {
    const value = object[key];
    if (value !== undefined) written.push(`${goJsonString(key)}:${gap}${write(value)}`);
  }
  return written;
}

function scalar(value: string | number | boolean | null): string {
  return typeof value === 'string' ? goJsonString(value) : String(value);
}
