import { nameFromBytes } from '../core/name-bytes.ts';
import { GoFault } from './go-texts.ts';
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
  return readFirst(nameFromBytes(bytes), room).value;
}

/** The value of a text that holds nothing else. Throws `GoFault`. */
export function parseWholeGoJson(text: string): GoValue {
  const { value, end } = readFirst(text, new ValueRoom());
  if (/[^ \n\r\t]/.test(text.slice(end))) throw new GoFault('text behind the value');
  return value;
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

/** The first value of a text, and where it ends. Without recursion: its depth must not depend on the stack that is left. */
function readFirst(
  text: string,
  room: ValueRoom,
): { readonly value: GoValue; readonly end: number } {
  const open: Container[] = [];
  let at = 0;
  const unexpected = () => {
    const found = text[at];
    if (found === undefined) return new GoFault('unexpected end');
    return new GoFault(`unexpected ${JSON.stringify(found)} at character ${at + 1}`);
  };
  /** The next character that is not blank. */
  const next = () => {
    let char = text[at];
    while (char === ' ' || char === '\n' || char === '\r' || char === '\t') char = text[++at];
    return char;
  };
  const takes = (char: string) => {
    if (next() !== char) return false;
    at++;
    return true;
  };
  const match = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found === undefined) throw unexpected();
    at += found.length;
    return found;
  };
  const string = () => {
    const from = at;
    ORDINARY.lastIndex = from + 1;
    ORDINARY.test(text);
    at = ORDINARY.lastIndex;
    if (text[at] === '"') return text.slice(from + 1, at++).toWellFormed();
    let end = text.indexOf('"', at);
    for (; end >= 0; end = text.indexOf('"', end + 1)) {
      let slashes = 0;
      while (text[end - slashes - 1] === '\\') slashes++;
      if (slashes % 2 === 0) break;
    }
    try {
      if (end < 0) throw new SyntaxError();
      const value = JSON.parse(text.slice(from, end + 1).toWellFormed()) as string;
      at = end + 1;
      return value.toWellFormed();
    } catch {
      throw new GoFault(`the string at character ${from + 1} is not valid`);
    }
  };
  const key = () => {
    if (next() !== '"') throw unexpected();
    const name = string();
    if (!takes(':')) throw unexpected();
    return name;
  };
  /** A value; `undefined` for a list or an object that is not empty, of which only the start is read. */
  const begin = (): GoValue | undefined => {
    room.take();
    const char = next();
    if (char === '"') return string();
    if (char === 't' || char === 'f' || char === 'n')
      return JSON.parse(match(WORD)) as boolean | null;
    if (char !== '{' && char !== '[') return { spelled: match(NUMBER) };
    if (open.length >= MAX_DEPTH) throw new GoFault(`more than ${MAX_DEPTH} levels`);
    at++;
    const value: GoValue[] | GoMap = char === '{' ? new Map() : [];
    if (takes(char === '{' ? '}' : ']')) return value;
    open.push(value instanceof Map ? { value, key: key() } : { value });
    return undefined;
  };
  for (;;) {
    let value = begin();
    while (value !== undefined) {
      const container = open.at(-1);
      if (container === undefined) return { value, end: at };
      const isObject = 'key' in container;
      if (isObject) container.value.set(container.key, value);
      else container.value.push(value);
      value = undefined;
      if (takes(isObject ? '}' : ']')) value = open.pop()?.value;
      else if (!takes(',')) throw unexpected();
      else if (isObject) container.key = key();
    }
  }
}
