import { nameFromBytes } from '../../../core/name-bytes.ts';

/** A key of a listing with `encoding-type=url`; a space is `+` or `%20`, depending on the server. */
export function decodeKey(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text;
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return nameFromBytes(decodeBytes(spaced));
  }
}

/** The bytes of percent escapes; anything else stays. */
function decodeBytes(text: string): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  for (const match of text.matchAll(/%([0-9a-f]{2})/gi)) {
    parts.push(Buffer.from(text.slice(from, match.index)));
    parts.push(Buffer.of(Number.parseInt(match[1] ?? '', 16)));
    from = match.index + 3;
  }
  parts.push(Buffer.from(text.slice(from)));
  return Buffer.concat(parts);
}
