const NAMED: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

/**
 * Text of an XML document with its entities resolved. `unknown`: what stands for an ampersand, a name or a number that
 * is no entity: itself, where it is not given.
 */
export function decodeEntities(
  text: string,
  unknown: (whole: string) => string = (whole) => whole,
): string {
  const first = text.indexOf('&');
  if (first < 0) return text;
  // Text in quotes that holds no other entity, as every ETag of a listing is written.
  const end = text.length - 6;
  const isQuoted = first === 0 && end >= 6 && text.startsWith('&quot;') && text.endsWith('&quot;');
  if (isQuoted && text.indexOf('&', 1) === end) return `"${text.slice(6, end)}"`;
  return text.replace(/&(?:#x([0-9a-f]+);|#(\d+);|(\w+);)?/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return NAMED.get(name) ?? unknown(whole);
    const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    // A half of a pair of UTF-16 is no character, and would stand for a byte in a name; see `nameFromBytes`.
    const isCharacter = point < 0xd800 || (point > 0xdfff && point <= 0x10ffff);
    return isCharacter ? String.fromCodePoint(point) : unknown(whole);
  });
}
