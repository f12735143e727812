const NAMED: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** A half of a pair of UTF-16 is no character, and would stand for a byte in a name; see `nameFromBytes`. */
function isCharacter(point: number): boolean {
  return point < 0xd800 || (point > 0xdfff && point <= 0x10ffff);
}

/**
 * Text of an XML document with its entities resolved.
 *
 * @param unknown what stands for an ampersand, a name or a number that is no entity: itself, where it is not given
 */
export function decodeEntities(
  text: string,
  unknown: (whole: string) => string = (whole) => whole,
): string {
  const first = text.indexOf('&');
  if (first < 0) return text;
  if (first === 0 && isQuoted(text)) return `"${text.slice(6, -6)}"`;
  return text.replace(/&(?:#x([0-9a-f]+);|#(\d+);|(\w+);)?/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return NAMED.get(name) ?? unknown(whole);
    const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return isCharacter(point) ? String.fromCodePoint(point) : unknown(whole);
  });
}

/** Text in quotes that holds no other entity, as every ETag of a listing is written. */
function isQuoted(text: string): boolean {
  return (
    text.length >= 12 &&
    text.startsWith('&quot;') &&
    text.indexOf('&', 1) === text.length - 6 &&
    text.endsWith('&quot;')
  );
}
