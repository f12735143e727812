import { GoFault } from '../../go/go-fault.ts';
import { goQuote } from '../../go/go-quote.ts';

/** A name with the prefix of its namespace, where it has one. */
export interface XmlName {
  readonly space: string;
  readonly local: string;
}

/** What may stand in a name, byte by byte; the whole name is checked later. */
const NAME_BYTES = /[A-Za-z0-9_:.\-\u0080-\uffff]*/y;
const NAME = /^[\p{L}_:][\p{L}\p{N}\p{M}_:.\-\u00b7]*$/u;
const BLANKS = /[ \r\n\t]*/y;
const PLAIN = { '': /[^<&]*/y, '"': /[^<&"]*/y, "'": /[^<&']*/y } as const;
const REFERENCE = /&(?:#(x[0-9a-fA-F]*|[0-9]*)|[A-Za-z0-9_:.\-\u0080-\uffff]*)/y;
/** No character of XML; where it is alone, a surrogate stands for a byte that is not UTF-8. */
const ILLEGAL = /[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]/u;
const ENTITIES: Readonly<Record<string, string>> = {
  ...{ lt: '<', gt: '>', amp: '&', apos: "'", quot: '"' },
};

/** The parts that an XML document is made of, read as strictly as Go's `encoding/xml`. All throw `GoFault`. */
export class XmlScanner {
  readonly #text: string;
  #at = 0;

  /** @param text as `nameFromBytes` makes it */
  constructor(text: string) {
    this.#text = text;
  }

  /** Nothing is left. */
  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  /** What is wrong at this place. */
  fault(why: string): GoFault {
    const line = this.#text.slice(0, this.#at).split('\n').length;
    return xmlFault(`XML syntax error on line ${line}: ${why}`);
  }

  /** Takes one of some characters; `undefined` where there is another. */
  take(wanted: string): string | undefined {
    const char = this.#peek();
    if (!wanted.includes(char)) return undefined;
    this.#at++;
    return char;
  }

  skipBlanks(): void {
    this.#match(BLANKS);
  }

  /** A name; `undefined` where there is none. */
  name(): string | undefined {
    this.#peek();
    const name = this.#match(NAME_BYTES);
    if (name === '') return undefined;
    this.#peek();
    if (!NAME.test(name)) throw this.fault(`invalid XML name: ${name}`);
    return name;
  }

  /** A name, taken apart. */
  prefixedName(): XmlName | undefined {
    const name = this.name();
    if (name === undefined) return undefined;
    const colon = name.indexOf(':');
    const isPrefixed = colon > 0 && colon < name.length - 1 && colon === name.lastIndexOf(':');
    if (!isPrefixed) return { space: '', local: name };
    return { space: name.slice(0, colon), local: name.slice(colon + 1) };
  }

  /**
   * Text with what `&` stands for, up to `<` or the end.
   * @param quote up to behind this one instead; `<` must not stand there
   */
  characters(quote: keyof typeof PLAIN = ''): string {
    let decoded = '';
    while (true) {
      const plain = this.#match(PLAIN[quote]);
      const brackets = plain.indexOf(']]>');
      if (brackets >= 0) {
        this.#at -= plain.length - brackets - 3;
        throw this.fault('unescaped ]]> not in CDATA section');
      }
      decoded += withNewlines(plain);
      const next = this.#text[this.#at];
      if (next === '&') {
        decoded += this.#reference();
        continue;
      }
      if (quote !== '' && next !== undefined) {
        this.#at++;
        if (next === '<') throw this.fault('unescaped < inside quoted string');
      }
      return this.#checked(decoded);
    }
  }

  /** What stands in a section of CDATA, whose beginning was taken. */
  cdata(): string {
    const found = this.#upTo(']]>');
    if (found === undefined) throw this.fault('unexpected EOF in CDATA section');
    return this.#checked(withNewlines(found));
  }

  /** Passes over a comment, whose beginning was taken. */
  skipComment(): void {
    if (this.#upTo('--') === undefined) throw this.fault('unexpected EOF');
    if (this.take('>') !== undefined) return;
    this.#at++;
    throw this.fault('invalid sequence "--" not allowed in comments');
  }

  /** Passes over an instruction, behind its `<?`. */
  skipInstruction(): void {
    const target = this.name();
    if (target === undefined) throw this.fault('expected target name after <?');
    this.skipBlanks();
    const content = this.#upTo('?>');
    if (content === undefined) throw this.fault('unexpected EOF');
    if (target !== 'xml') return;
    const version = attributeOf('version', content);
    if (version !== '' && version !== '1.0') {
      throw xmlFault(`xml: unsupported version ${goQuote(version)}; only version 1.0 is supported`);
    }
    const encoding = attributeOf('encoding', content);
    if (encoding === '' || encoding.toLowerCase() === 'utf-8') return;
    throw xmlFault(`xml: encoding ${goQuote(encoding)} declared but Decoder.CharsetReader is nil`);
  }

  /** Passes over a directive such as a DOCTYPE, behind its `<!`. Others may stand in it. */
  skipDirective(): void {
    this.#next();
    let quote = '';
    let depth = 0;
    while (true) {
      let char = this.#next();
      if (char === '>' && quote === '' && depth === 0) return;
      // What follows a `<` that begins no comment counts, too.
      while (char === '<' && quote === '' && !this.#skipInnerComment()) {
        depth++;
        char = this.#next();
      }
      if (char === quote) quote = '';
      else if (quote !== '') continue;
      else if (char === '"' || char === "'") quote = char;
      else if (char === '>') depth--;
    }
  }

  /** Passes over the rest of a comment; where there is none, over what looked like its beginning. */
  #skipInnerComment(): boolean {
    for (const wanted of '!--') {
      if (this.take(wanted) === undefined) return false;
    }
    if (this.#upTo('-->') === undefined) throw this.fault('unexpected EOF');
    return true;
  }

  #reference(): string {
    const begun = this.#match(REFERENCE);
    const isClosed = this.take(';') !== undefined;
    const name = begun.slice(1);
    const known = name.startsWith('#') ? characterOf(name.slice(1)) : entityOf(name);
    if (isClosed && known !== undefined) return known;
    throw this.fault(`invalid character entity ${begun}${isClosed ? ';' : ' (no semicolon)'}`);
  }

  #checked(text: string): string {
    const illegal = ILLEGAL.exec(text)?.[0];
    if (illegal === undefined) return text;
    const code = illegal.charCodeAt(0);
    if (code >= 0xd800 && code <= 0xdfff) throw this.fault('invalid UTF-8');
    const shown = code.toString(16).toUpperCase().padStart(4, '0');
    throw this.fault(`illegal character code U+${shown}`);
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }

  /** What stands before a text, which is taken, too; `undefined` where it does not come, at the end then. */
  #upTo(text: string): string | undefined {
    const from = this.#at;
    const found = this.#text.indexOf(text, from);
    this.#at = found < 0 ? this.#text.length : found + text.length;
    return found < 0 ? undefined : this.#text.slice(from, found);
  }

  #peek(): string {
    const char = this.#text[this.#at];
    if (char === undefined) throw this.fault('unexpected EOF');
    return char;
  }

  #next(): string {
    const char = this.#peek();
    this.#at++;
    return char;
  }
}

/** What is wrong with a document, as the log has it. */
function xmlFault(why: string): GoFault {
  return new GoFault(`xml.Decoder.Token() - ${why}`);
}

/** A value in an instruction, found as roughly as Go does it; empty where there is none. */
function attributeOf(name: string, content: string): string {
  const at = content.indexOf(`${name}=`);
  const value = at < 0 ? '' : content.slice(at + name.length + 1);
  return /^(["'])(.*?)\1/s.exec(value)?.[2] ?? '';
}

/** The character for `65` or `x41`. */
function characterOf(digits: string): string | undefined {
  const code = digits.startsWith('x')
    ? Number.parseInt(digits.slice(1), 16)
    : Number(digits || NaN);
  if (!(code <= 0x10ffff)) return undefined;
  return code >= 0xd800 && code <= 0xdfff ? '\ufffd' : String.fromCodePoint(code);
}

function entityOf(name: string): string | undefined {
  return Object.hasOwn(ENTITIES, name) ? ENTITIES[name] : undefined;
}

function withNewlines(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}
