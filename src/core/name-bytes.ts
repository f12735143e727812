/**
 * Names as bytes. Linux allows any byte but NUL and `/` in a name; a JavaScript string cannot hold bytes
 * that are not UTF-8. Such a byte 0x80 to 0xFF becomes the lone surrogate U+DC80 to U+DCFF (as in Python's
 * PEP 383), so that every name goes to a string and back unchanged.
 */

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The string for a name of any bytes. */
export function nameFromBytes(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    return decodeEscaping(bytes);
  }
}

/** The bytes of a name; undoes `nameFromBytes`. */
export function nameToBytes(name: string): Buffer {
  if (name.isWellFormed()) return Buffer.from(name, 'utf8');
  const parts: Buffer[] = [];
  let from = 0;
  for (let i = 0; i < name.length; i++) {
    const unit = name.charCodeAt(i);
    if (unit < 0xd800 || unit > 0xdfff) continue;
    if (unit < 0xdc00 && isTrail(name.charCodeAt(i + 1))) {
      i++;
      continue;
    }
    parts.push(Buffer.from(name.slice(from, i), 'utf8'));
    parts.push(unit >= 0xdc80 && unit <= 0xdcff ? Buffer.of(unit & 0xff) : Buffer.from('\ufffd'));
    from = i + 1;
  }
  parts.push(Buffer.from(name.slice(from), 'utf8'));
  return Buffer.concat(parts);
}

function isTrail(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

function decodeEscaping(bytes: Uint8Array): string {
  let text = '';
  let i = 0;
  while (i < bytes.length) {
    const length = sequenceLength(bytes, i);
    if (length === 0) {
      text += String.fromCharCode(0xdc00 | (bytes[i] ?? 0));
      i++;
    } else {
      text += decoder.decode(bytes.subarray(i, i + length));
      i += length;
    }
  }
  return text;
}

/** Length of the well-formed UTF-8 sequence at `i`, 0 where there is none. */
function sequenceLength(bytes: Uint8Array, i: number): number {
  const first = bytes[i] ?? 0;
  if (first < 0x80) return 1;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  if (length === 0 || i + length > bytes.length) return 0;
  try {
    decoder.decode(bytes.subarray(i, i + length));
    return length;
  } catch {
    return 0;
  }
}
