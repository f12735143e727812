const ALPHABET = /^[A-Za-z0-9+/]$/;

/** Decodes base64 as Go's `StdEncoding` does: what came before a fault is kept, line breaks do not matter. */
export function decodeBase64(text: string): { readonly bytes: Buffer; readonly fault?: string } {
  let digits = '';
  let at = 0;
  while (at < text.length) {
    const char = text[at] ?? '';
    if (char === '=') break;
    if (char !== '\r' && char !== '\n') {
      if (!ALPHABET.test(char)) return broken(digits, at);
      digits += char;
    }
    at++;
  }
  const tail = text.slice(at).replace(/[\r\n]/g, '');
  const wanted = (4 - (digits.length % 4)) % 4;
  if (wanted === 3 || (tail === '' && wanted !== 0))
    return broken(digits, text.length - (digits.length % 4));
  if (tail !== '='.repeat(wanted)) return broken(digits, at);
  return { bytes: Buffer.from(digits, 'base64') };
}

/** Only whole groups of four before the fault count. */
function broken(digits: string, at: number): { bytes: Buffer; fault: string } {
  const whole = digits.slice(0, digits.length - (digits.length % 4));
  return {
    bytes: Buffer.from(whole, 'base64'),
    fault: `illegal base64 data at input byte ${at}`,
  };
}
