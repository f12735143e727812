/** Reads a text character by character; a character is a code point. */
export class TextReader {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  get done(): boolean {
    return this.at >= this.text.length;
  }

  /** The rest of the text. */
  get rest(): string {
    return this.text.slice(this.at);
  }

  startsWith(prefix: string): boolean {
    return this.text.startsWith(prefix, this.at);
  }

  /** Goes past `prefix` if it comes next. */
  take(prefix: string): boolean {
    if (!this.startsWith(prefix)) return false;
    this.at += prefix.length;
    return true;
  }

  /** Goes past what `pattern`, which is sticky, matches here. */
  takeMatch(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text) ?? undefined;
    if (match !== undefined) this.at += match[0].length;
    return match;
  }

  /** The next character, gone past; `''` at the end. */
  next(): string {
    const codePoint = this.text.codePointAt(this.at);
    if (codePoint === undefined) return '';
    const character = String.fromCodePoint(codePoint);
    this.at += character.length;
    return character;
  }

  /** What was read since `from`. */
  since(from: number): string {
    return this.text.slice(from, this.at);
  }
}
