/**
 * A command line as bash gives it to a completion: raw, up to the cursor. Nothing in it is expanded, so that nothing
 * is run by pressing a key.
 */
export interface ShellLine {
  /** The words before the last, without their quotes; the program first. */
  readonly words: readonly string[];
  /** The last word, which is being typed, without its quotes; `''` after a blank. */
  readonly typed: string;
  /** The quote that is open in it. */
  readonly quote: '"' | "'" | '';
  /** Places in `typed` right after the characters `:` and `=` outside of quotes. */
  readonly breaks: readonly { readonly char: string; readonly end: number }[];
}

/** Splits a line into words by the rules of the shell. */
export function splitShellLine(line: string): ShellLine {
  const words: string[] = [];
  let word: string | undefined;
  let quote: ShellLine['quote'] = '';
  let breaks: { readonly char: string; readonly end: number }[] = [];
  for (let at = 0; at < line.length; at++) {
    const char = line[at] ?? '';
    if (quote !== '') {
      if (char === quote) quote = '';
      else if (quote === '"' && char === '\\' && /["$`\\]/.test(line[at + 1] ?? '')) {
        word += line[++at] ?? '';
      } else word += char;
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      breaks = [];
    } else if (char === '"' || char === "'") {
      word ??= '';
      quote = char;
    } else if (char === '\\') {
      word = (word ?? '') + (line[++at] ?? '');
    } else {
      word = (word ?? '') + char;
      if (char === ':' || char === '=') breaks.push({ char, end: word.length });
    }
  }
  const begin = words.findIndex((one) => !/^\w+=/.test(one));
  return { words: words.slice(Math.max(0, begin)), typed: word ?? '', quote, breaks };
}

/**
 * A candidate for bash to insert: quoted, and without the part of the word that bash treats as a word of its own,
 * because it ends in one of `wordBreaks`.
 */
export function bashReply(
  candidate: string,
  { typed, quote, breaks }: Pick<ShellLine, 'typed' | 'quote' | 'breaks'>,
  wordBreaks: string,
): string {
  // A quote ends the word in quotes: one in backslashes follows, and the next word in quotes.
  if (quote === "'") return candidate.replaceAll("'", "'\\''");
  if (quote === '"') return candidate.replace(/["$`\\]/g, '\\$&');
  const begin = breaks.findLast(({ char }) => wordBreaks.includes(char))?.end ?? 0;
  const rest = candidate.startsWith(typed.slice(0, begin)) ? candidate.slice(begin) : candidate;
  return rest.replace(/[^\w\-.,:/=@%+~^\x80-\uffff]/g, '\\$&');
}
