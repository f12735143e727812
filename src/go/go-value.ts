import { compareNames } from '../core/name-order.ts';
import { goJsonString } from './go-json.ts';
import { GoFault } from './go-texts.ts';

/**
 * A value of a payload; a number as it was spelled in JSON. Bytes of texts that are not UTF-8 are kept as in
 * `nameFromBytes`. Code that walks a value must not recurse: the client decides how deep it is.
 */
export type GoValue = string | boolean | null | { readonly spelled: string } | GoValue[] | GoMap;

/** An object; names have no meaning of their own, whatever they are. */
export type GoMap = Map<string, GoValue>;

/** A payload that is not there: JSON's null where an object is wanted. Never changed. */
export const NIL_MAP: GoMap = new Map();

/**
 * A value as Go's `json.Marshal` writes it: no blanks, keys sorted by their bytes.
 *
 * @param instead gives what is written for a member of an object; `undefined`: its value
 */
export function goJson(
  value: GoValue,
  instead: (key: string) => GoValue | undefined = () => undefined,
): string {
  const parts: string[] = [];
  const open: {
    /** Of an object. */
    readonly keys: readonly string[] | undefined;
    readonly items: readonly GoValue[];
    /** The item that comes next. */
    next: number;
  }[] = [];
  const write = (item: GoValue) => {
    if (Array.isArray(item)) {
      parts.push('[');
      open.push({ keys: undefined, items: item, next: 0 });
    } else if (item instanceof Map && item !== NIL_MAP) {
      const members = [...item].sort(([a], [b]) => compareNames(a, b));
      const items = members.map(([, value]) => value);
      parts.push('{');
      open.push({ keys: members.map(([key]) => key), items, next: 0 });
    } else if (typeof item === 'string') parts.push(goJsonString(item));
    else if (typeof item === 'boolean') parts.push(String(item));
    else parts.push(item !== null && 'spelled' in item ? item.spelled : 'null');
  };
  write(value);
  for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
    const { keys, items } = last;
    const at = last.next++;
    const item = items[at];
    if (item === undefined) {
      parts.push(keys === undefined ? ']' : '}');
      open.pop();
      continue;
    }
    if (at > 0) parts.push(',');
    const key = keys?.[at];
    if (key === undefined) write(item);
    else {
      parts.push(goJsonString(key), ':');
      write(instead(key) ?? item);
    }
  }
  return parts.join('');
}

/** A value as Go's `%v` prints it, lists and objects as JSON. */
export function goText(value: GoValue): string {
  if (typeof value === 'string') return value;
  if (value === null) return '<nil>';
  if (typeof value === 'boolean') return String(value);
  return goJson(value);
}

/** Maximum number of values in a payload: each takes many times the memory of its text. */
const MAX_VALUES = 1_000_000;

/** The payload has too many values. */
export class TooManyValues extends GoFault {
  constructor() {
    super(`the payload holds more than ${MAX_VALUES} values`);
  }
}

/** Counts the values of a payload. */
export class ValueRoom {
  #left = MAX_VALUES;

  /** Throws `TooManyValues`. */
  take(): void {
    if (--this.#left < 0) throw new TooManyValues();
  }
}
