import { nameFromBytes } from '../core/name-bytes.ts';
import { GoFault } from './go-errno.ts';
import { type GoMap, type GoValue, NIL_MAP, ValueRoom } from './go-value.ts';

const MAX_DEPTH = 10_000;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\d.eE])/y;
const WORD = /true|false|null/y;
/** What stands for itself in a string. */
const ORDINARY = /[^"\\\x00-\x1f]*/y;

/**
 * Reads the first value of a JSON text, with numbers as they are spelled. What follows the value is ignored; of equal
 * keys the last counts; at most 10,000 levels. Throws `GoFault`.
 * @param room shared where several texts make one payload
 */
export function parseGoJson(bytes: Uint8Array, room = new ValueRoom()): GoValue {
  return new Reader(nameFromBytes(bytes), room).first();
}

/** The value of a text that holds nothing else. Throws `GoFault`. */
export function parseWholeGoJson(text: string): GoValue {
  return new Reader(text, new ValueRoom()).whole();
}

/** The first value where an object is wanted; `null` is `NIL_MAP`. */
export function parseGoJsonObject(bytes: Uint8Array, room?: ValueRoom): GoMap {
  const value = parseGoJson(bytes, room);
  if (value === null) return NIL_MAP;
  if (value instanceof Map) return value;
  throw new GoFault('it is not an object');
}

/** A list or an object that is being read; `key` is that of the next value. */
type Container = { readonly value: GoValue[] } | { readonly value: GoMap; key: string };

/** Reads without recursion: the depth of a value must not depend on the stack that is left. */
class Reader {
  readonly #text: string;
  readonly #room: ValueRoom;
  readonly #open: Container[] = [];
  #at = 0;

  constructor(text: string, room: ValueRoom) {
    this.#text = text;
    this.#room = room;
  }

  first(): GoValue {
    while (true) {
      let value = this.#begin();
      while (value !== undefined) {
        const container = this.#open.at(-1);
        if (container === undefined) return value;
        value = this.#put(container, value);
      }
    }
  }

  whole(): GoValue {
    const value = this.first();
    if (this.#next() !== undefined) throw new GoFault('text behind the value');
    return value;
  }

  /** Reads a value; `undefined` for a list or an object that is not empty, of which only the start was read. */
  #begin(): GoValue | undefined {
    this.#room.take();
    switch (this.#next()) {
      case '{':
        return this.#enter(new Map(), '}');
      case '[':
        return this.#enter([], ']');
      case '"':
        return this.#string();
      case 't':
      case 'f':
      case 'n':
        return JSON.parse(this.#match(WORD)) as boolean | null;
      default:
        return { spelled: this.#match(NUMBER) };
    }
  }

  #enter(value: GoValue[] | GoMap, end: string): GoValue | undefined {
    if (this.#open.length >= MAX_DEPTH) throw new GoFault(`more than ${MAX_DEPTH} levels`);
    this.#at++;
    if (this.#take(end)) return value;
    this.#open.push(value instanceof Map ? { value, key: this.#key() } : { value });
    return undefined;
  }

  /** Puts a value into its container. Gives the container where that was its last value. */
  #put(container: Container, value: GoValue): GoValue | undefined {
    const isObject = 'key' in container;
    if (isObject) container.value.set(container.key, value);
    else container.value.push(value);
    if (this.#take(isObject ? '}' : ']')) {
      this.#open.pop();
      return container.value;
    }
    this.#expect(',');
    if (isObject) container.key = this.#key();
    return undefined;
  }

  #key(): string {
    if (this.#next() !== '"') throw this.#unexpected();
    const key = this.#string();
    this.#expect(':');
    return key;
  }

  #string(): string {
    const from = this.#at;
    ORDINARY.lastIndex = from + 1;
    ORDINARY.test(this.#text);
    this.#at = ORDINARY.lastIndex;
    if (this.#text[this.#at] === '"') return this.#text.slice(from + 1, this.#at++).toWellFormed();
    let end = this.#text.indexOf('"', this.#at);
    while (end >= 0 && this.#isEscaped(end)) end = this.#text.indexOf('"', end + 1);
    try {
      if (end < 0) throw new SyntaxError();
      const quoted = this.#text.slice(from, end + 1).toWellFormed();
      const text = JSON.parse(quoted) as string;
      this.#at = end + 1;
      return text.toWellFormed();
    } catch {
      throw new GoFault(`the string at character ${from + 1} is not valid`);
    }
  }

  #isEscaped(at: number): boolean {
    let first = at;
    while (this.#text[first - 1] === '\\') first--;
    return (at - first) % 2 === 1;
  }

  #take(char: string): boolean {
    if (this.#next() !== char) return false;
    this.#at++;
    return true;
  }

  #expect(char: string): void {
    if (!this.#take(char)) throw this.#unexpected();
  }

  /** The next character that is not blank. */
  #next(): string | undefined {
    let char = this.#text[this.#at];
    while (char === ' ' || char === '\n' || char === '\r' || char === '\t') {
      char = this.#text[++this.#at];
    }
    return char;
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) throw this.#unexpected();
    this.#at += found.length;
    return found;
  }

  #unexpected(): GoFault {
    const found = this.#text[this.#at];
    if (found === undefined) return new GoFault('unexpected end');
    return new GoFault(`unexpected ${JSON.stringify(found)} at character ${this.#at + 1}`);
  }
}
