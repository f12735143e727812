/** The end of an open range of keys: after every key that starts with ASCII. */
const LAST = 0x7f;

/** A range of keys that is being listed. */
export interface KeyRange {
  /** The common prefix of its keys. */
  readonly prefix: string;
  /** The first and the last of its keys that were listed. */
  readonly first: string;
  readonly last: string;
  /** The last key that may belong to it; absent: no end. */
  readonly end?: string;
}

/**
 * Up to `count` texts between the last listed key and the end of the range, in order, at which to split the rest.
 * Some look for anything after the common prefix of the keys, others try how they continue where they differ. Each is
 * the start of a key and one ASCII character.
 */
export function splitPoints(range: KeyRange, count: number): string[] {
  const { prefix, first, last, end } = range;
  const from = end === undefined ? prefix.length : sharedLength(last, end);
  const shared = Math.max(from, sharedLength(first, last));
  const points = new Set<string>();
  const add = (at: number, code: number) => {
    const text = last.slice(0, at) + String.fromCharCode(code);
    if (points.size < count && text > last && (end === undefined || text < end)) points.add(text);
  };
  // Few are tried from the outside in; many cover everything that the keys have in common.
  const depth = count < 8 ? shared - from + 1 : count >> 1;
  for (const at of spread(from, shared, depth)) {
    const code = last.charCodeAt(at);
    if (!(code >= 0x20 && code < LAST - 1)) continue;
    add(at, (code + lastOfKind(code) + 1) >> 1);
    add(at, code + 1);
  }
  for (let at = shared; at <= last.length && points.size < count; at++) {
    const low = at < last.length ? last.charCodeAt(at) + 1 : 0x20;
    const limit = end !== undefined && at === from ? end.charCodeAt(at) : LAST;
    const found = points.size;
    for (const code of spread(low, Math.min(limit, LAST) - 1, count)) add(at, code);
    if (points.size > found) break;
  }
  return [...points].sort((a, b) => (a < b ? -1 : 1));
}

/** Names often count: after a digit or a letter another one is most likely. */
function lastOfKind(code: number): number {
  if (code >= 0x30 && code <= 0x39) return 0x39;
  if (code >= 0x41 && code <= 0x5a) return 0x5a;
  return code >= 0x61 && code <= 0x7a ? 0x7a : LAST - 1;
}

/** Up to `count` whole numbers from `low` to `high`, as far apart as possible. */
function spread(low: number, high: number, count: number): number[] {
  if (count <= 0 || high < low) return [];
  const steps = Math.min(count - 1, high - low);
  if (steps === 0) return [low];
  return Array.from({ length: steps + 1 }, (_, i) => low + Math.round((i * (high - low)) / steps));
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return length;
}
