const ESCAPE =
  /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|([abfnrtv\\'"])|)/g;
const LETTERS: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
};

/** A quoted text of Go without its quotes and escapes; `undefined` for one that makes no sense. */
export function unquoteGo(quoted: string): string | undefined {
  const inner = quoted.slice(1, -1);
  if (quoted.startsWith('`')) return inner.replaceAll('\r', '');
  let wrong = false;
  const text = inner.replace(ESCAPE, (_, x, u, long, octal, letter) => {
    if (letter !== undefined) return LETTERS[letter] ?? letter;
    const code =
      octal === undefined ? Number.parseInt(x ?? u ?? long, 16) : Number.parseInt(octal, 8);
    wrong ||= !(code <= 0x10ffff);
    return wrong ? '' : String.fromCodePoint(code);
  });
  return wrong ? undefined : text;
}
