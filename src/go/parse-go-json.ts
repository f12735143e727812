import { nameFromBytes } from '../core/name-bytes.ts';
import { GoFault } from './go-fault.ts';
import { goQuoteByte } from './go-quote.ts';
import { type GoMap, type GoValue, NIL_MAP } from './go-value.ts';
import { ValueRoom } from './value-room.ts';

const MAX_DEPTH = 10_000;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** What stands for itself in a string. */
const ORDINARY = /[^"\\\x00-\x1f]*/y;
const ESCAPES: Readonly<Record<string, string>> = {
  ...{ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\', '/': '/' },
};

/**
 * Reads the first value of a JSON text as Go's `json.Decoder` does; what follows it is ignored. Throws `GoFault`
 * with Go's words.
 * @param room shared where several texts make one payload
 */
export function parseGoJson(bytes: Uint8Array, room = new ValueRoom()): GoValue {
  return new Reader(nameFromBytes(bytes), room).first();
}

/** The same where an object is wanted; `null` is `NIL_MAP`. */
export function parseGoJsonObject(bytes: Uint8Array, room?: ValueRoom): GoMap {
  const value = parseGoJson(bytes, room);
  if (value === null) return NIL_MAP;
  if (value instanceof Map) return value;
  const kind = Array.isArray(value)
    ? 'array'
    : typeof value === 'string'
      ? 'string'
      : typeof value === 'boolean'
        ? 'bool'
        : 'number';
  throw new GoFault(`json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`);
}

/** A list or an object that is being read. */
type Container =
  | { readonly value: GoValue[] }
  /** `key`: of the value that comes next. */
  | { readonly value: GoMap; key: string };

/** Nesting takes no room of the stack: how deep a value may be must not depend on who asks. */
class Reader {
  readonly #text: string;
  readonly #room: ValueRoom;
  #at = 0;
  readonly #open: Container[] = [];

  constructor(text: string, room: ValueRoom) {
    this.#text = text;
    this.#room = room;
  }

  first(): GoValue {
    this.#skipBlanks();
    if (this.#at >= this.#text.length) throw new GoFault('EOF');
    while (true) {
      let value = this.#begin();
      while (value !== undefined) {
        const container = this.#open.at(-1);
        if (container === undefined) return value;
        value = this.#put(container, value);
      }
    }
  }

  /** Reads a value; of a list or an object that holds something only the beginning, and gives nothing then. */
  #begin(): GoValue | undefined {
    this.#room.take();
    this.#skipBlanks();
    const char = this.#text[this.#at];
    switch (char) {
      case '{':
        return this.#beginObject();
      case '[':
        return this.#beginList();
      case '"':
        return this.#string();
      case 't':
        return this.#word('true', true);
      case 'f':
        return this.#word('false', false);
      case 'n':
        return this.#word('null', null);
    }
    if (char !== undefined && /[-0-9]/.test(char)) return this.#number();
    throw this.#unexpected('looking for beginning of value');
  }

  #deeper(): void {
    if (this.#open.length >= MAX_DEPTH) throw this.#unexpected('exceeded max depth');
    this.#at++;
    this.#skipBlanks();
  }

  #beginObject(): GoMap | undefined {
    this.#deeper();
    const value: GoMap = new Map();
    if (this.#take('}')) return value;
    this.#open.push({ value, key: this.#key() });
    return undefined;
  }

  #beginList(): GoValue[] | undefined {
    this.#deeper();
    const value: GoValue[] = [];
    if (this.#take(']')) return value;
    this.#open.push({ value });
    return undefined;
  }

  #key(): string {
    this.#skipBlanks();
    if (this.#text[this.#at] !== '"') {
      throw this.#unexpected('looking for beginning of object key string');
    }
    const key = this.#string();
    this.#skipBlanks();
    if (!this.#take(':')) throw this.#unexpected('after object key');
    return key;
  }

  /** Puts a value where it belongs. Gives the whole where that was the last one, nothing where others follow. */
  #put(container: Container, value: GoValue): GoValue | undefined {
    if ('key' in container) container.value.set(container.key, value);
    else container.value.push(value);
    this.#skipBlanks();
    const isObject = 'key' in container;
    if (this.#take(isObject ? '}' : ']')) {
      this.#open.pop();
      return container.value;
    }
    if (!this.#take(',')) {
      throw this.#unexpected(isObject ? 'after object key:value pair' : 'after array element');
    }
    if (isObject) container.key = this.#key();
    return undefined;
  }

  #number(): GoValue {
    NUMBER.lastIndex = this.#at;
    const spelled = NUMBER.exec(this.#text)?.[0];
    if (spelled === undefined) {
      this.#at++;
      throw this.#unexpected('in numeric literal');
    }
    this.#at += spelled.length;
    const next = this.#text[this.#at];
    if (next === '.') {
      this.#at++;
      throw this.#unexpected('after decimal point in numeric literal');
    }
    if ((next === 'e' || next === 'E') && !/[eE]/.test(spelled)) {
      this.#at++;
      if (/[+-]/.test(this.#text[this.#at] ?? '')) this.#at++;
      throw this.#unexpected('in exponent of numeric literal');
    }
    return { spelled };
  }

  #word<T>(word: string, value: T): T {
    for (let i = 1; i < word.length; i++) {
      this.#at++;
      if (this.#text[this.#at] !== word[i]) {
        throw this.#unexpected(`in literal ${word} (expecting '${word[i]}')`);
      }
    }
    this.#at++;
    return value;
  }

  #string(): string {
    let result = '';
    let from = ++this.#at;
    while (true) {
      ORDINARY.lastIndex = this.#at;
      ORDINARY.test(this.#text);
      this.#at = ORDINARY.lastIndex;
      const code = this.#text.charCodeAt(this.#at);
      if (code === 0x22) {
        result += this.#text.slice(from, this.#at++);
        return result.toWellFormed();
      }
      if (Number.isNaN(code) || code < 0x20) throw this.#unexpected('in string literal');
      result += this.#text.slice(from, this.#at) + this.#escape();
      from = this.#at;
    }
  }

  /** Reads an escape; a lone surrogate is U+FFFD, so that it does not join one beside it. */
  #escape(): string {
    const letter = this.#text[++this.#at] ?? '';
    if (letter !== 'u') {
      const character = ESCAPES[letter];
      if (character === undefined) throw this.#unexpected('in string escape code');
      this.#at++;
      return character;
    }
    const unit = this.#hex();
    if (unit >= 0xd800 && unit < 0xdc00 && this.#text.startsWith('\\u', this.#at)) {
      const back = this.#at;
      this.#at++;
      const low = this.#hex();
      if (low >= 0xdc00 && low < 0xe000) return String.fromCharCode(unit, low);
      this.#at = back;
    }
    return unit >= 0xd800 && unit < 0xe000 ? '\ufffd' : String.fromCharCode(unit);
  }

  /** The four digits after the `u` that the reader is at. */
  #hex(): number {
    let unit = 0;
    for (let i = 0; i < 4; i++) {
      const digit = Number.parseInt(this.#text[++this.#at] ?? '', 16);
      if (Number.isNaN(digit)) throw this.#unexpected('in \\u hexadecimal character escape');
      unit = unit * 16 + digit;
    }
    this.#at++;
    return unit;
  }

  #take(char: string): boolean {
    if (this.#text[this.#at] !== char) return false;
    this.#at++;
    return true;
  }

  #skipBlanks(): void {
    const text = this.#text;
    let at = this.#at;
    for (let code = text.charCodeAt(at); code <= 0x20; code = text.charCodeAt(++at)) {
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) break;
    }
    this.#at = at;
  }

  #unexpected(where: string): GoFault {
    const point = this.#text.codePointAt(this.#at);
    if (point === undefined) return new GoFault('unexpected EOF');
    const [byte = 0] =
      point >= 0xdc80 && point <= 0xdcff
        ? [point & 0xff]
        : Buffer.from(String.fromCodePoint(point));
    return new GoFault(`invalid character ${goQuoteByte(byte)} ${where}`);
  }
}
