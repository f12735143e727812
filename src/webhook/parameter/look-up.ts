import { GoFault } from '../../go/go-errno.ts';
import { type GoValue, NIL_MAP } from '../../go/go-value.ts';

/** A parameter that the request does not have: no error, but a plain no. */
export class NotFoundFault extends GoFault {
  constructor(name: string) {
    super(`parameter node not found: ${name}`);
  }
}

/** The place of a value: a key of an object or an index of a list. */
interface Place {
  readonly value: GoValue;
  replace(value: GoValue): void;
}

/** The value at a dotted name. Throws `NotFoundFault`, and `GoFault` below a null. */
export function lookUp(name: string, root: GoValue): GoValue {
  return find(name, root).value;
}

/** Puts `value` in the place of what stands at a dotted name. Throws like `lookUp`. */
export function replaceAt(name: string, root: GoValue, value: GoValue): void {
  find(name, root).replace(value);
}

function find(name: string, root: GoValue): Place {
  let rest = name;
  let current = root;
  while (true) {
    if (current === null) throw new GoFault('no parameters');
    const dot = rest.indexOf('.');
    const first = dot < 0 ? rest : rest.slice(0, dot);
    const place = placeIn(current, rest, first);
    if (place === undefined) throw new NotFoundFault(rest);
    if (dot < 0 || place.whole) return place;
    current = place.value;
    rest = rest.slice(dot + 1);
  }
}

function placeIn(
  current: GoValue,
  rest: string,
  first: string,
): (Place & { whole: boolean }) | undefined {
  if (Array.isArray(current)) {
    const index = /^\d+$/.test(first) ? Number(first) : Number.POSITIVE_INFINITY;
    const value = current[index];
    if (value === undefined) return undefined;
    const replace = (next: GoValue) => {
      current[index] = next;
    };
    return { value, replace, whole: false };
  }
  if (!(current instanceof Map) || current === NIL_MAP) return undefined;
  const whole = current.has(rest);
  const key = whole ? rest : first;
  const value = current.get(key);
  return value === undefined
    ? undefined
    : { value, replace: (next) => void current.set(key, next), whole };
}
