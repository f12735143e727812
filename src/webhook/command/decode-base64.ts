const ALPHABET = /^[A-Za-z0-9+/]$/;

/** Decodes base64 as Go's `StdEncoding` does: what came before a fault is kept, line breaks do not matter. */
export function decodeBase64(text: string): { readonly bytes: Buffer; readonly fault?: string } {
  let digits = '';
  let at = 0;
  for (; at < text.length; at++) {
    const char = text[at] ?? '';
    if (char === '=') break;
    if (isBreak(char)) continue;
    if (!ALPHABET.test(char)) return broken(digits, at);
    digits += char;
  }
  const part = digits.length % 4;
  if (at === text.length) {
    return part === 0 ? { bytes: Buffer.from(digits, 'base64') } : broken(digits, at - part);
  }
  if (part < 2) return broken(digits, at);
  at = behindBreaks(text, at + 1);
  if (part === 2) {
    if (at === text.length) return broken(digits, at);
    if (text[at] !== '=') return broken(digits, at - 1);
    at = behindBreaks(text, at + 1);
  }
  // A group that is closed counts, whatever follows it.
  const bytes = Buffer.from(digits, 'base64');
  return at === text.length ? { bytes } : { bytes, fault: faultAt(at) };
}

function isBreak(char: string | undefined): boolean {
  return char === '\r' || char === '\n';
}

function behindBreaks(text: string, from: number): number {
  let at = from;
  while (isBreak(text[at])) at++;
  return at;
}

function faultAt(at: number): string {
  return `illegal base64 data at input byte ${at}`;
}

/** Only whole groups of four before the fault count. */
function broken(digits: string, at: number): { bytes: Buffer; fault: string } {
  const whole = digits.slice(0, digits.length - (digits.length % 4));
  return { bytes: Buffer.from(whole, 'base64'), fault: faultAt(at) };
}
