/** Decodes base64; line breaks do not matter. What comes before a fault is decoded, as by Go's `StdEncoding`. */
export function decodeBase64(text: string): { readonly bytes: Buffer; readonly fault?: string } {
  const digits = text.replace(/[\r\n]+/g, '');
  const other = digits.search(/[^A-Za-z0-9+/]/);
  const known = other < 0 ? digits.length : other;
  const left = known % 4;
  const padding = left === 2 ? '==' : '=';
  const isPadded = left > 1 && digits.startsWith(padding, known);
  const end = isPadded ? known + padding.length : known - left;
  const bytes = Buffer.from(digits.slice(0, end), 'base64');
  if (end === digits.length) return { bytes };
  return { bytes, fault: `invalid base64 at character ${end + 1}` };
}
