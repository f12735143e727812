/** What the queue holds: JSON without `undefined`. */
export type QueueValue =
  | null
  | boolean
  | number
  | string
  | readonly QueueValue[]
  | { readonly [key: string]: QueueValue | undefined };

/**
 * JSON that is the same text for equal values, for hashes and signatures: keys of objects in the order of their
 * UTF-16, absent and `undefined` members left out. Throws `TypeError` for a number that JSON has no text for.
 */
export function canonicalJson(value: QueueValue): string {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new TypeError(`${value} cannot be written as JSON`);
  }
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.keys(value)
    .sort()
    .flatMap((key) => {
      const member = value[key];
      return member === undefined ? [] : [`${JSON.stringify(key)}:${canonicalJson(member)}`];
    });
  return `{${members.join(',')}}`;
}

function isList(value: object): value is readonly QueueValue[] {
  return Array.isArray(value);
}
