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
