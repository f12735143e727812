const DIGITS = 1 << 16;

interface Keyed {
  readonly nodes: Int32Array;
  readonly keys: Float64Array;
}

/** Below this, comparing is faster than counting. */
const FEW = 1024;

/**
 * Sorts nodes by their keys, both in place; stable. Keys are neither negative nor `NaN`. Linear time: the bits of
 * such numbers are in their order, and are counted 16 at a time.
 */
export function sortByKey(nodes: Int32Array, keys: Float64Array, descending: boolean): void {
  if (nodes.length <= FEW) sortFew(nodes, keys, descending);
  else sortMany(nodes, keys, descending);
}

function sortFew(nodes: Int32Array, keys: Float64Array, descending: boolean): void {
  const sign = descending ? -1 : 1;
  const places = Array.from(nodes.keys()).sort(
    (a, b) => sign * ((keys[a] as number) - (keys[b] as number)) || a - b,
  );
  const [oldNodes, oldKeys] = [nodes.slice(), keys.slice()];
  places.forEach((from, to) => {
    nodes[to] = oldNodes[from] as number;
    keys[to] = oldKeys[from] as number;
  });
}

function sortMany(nodes: Int32Array, keys: Float64Array, descending: boolean): void {
  const count = nodes.length;
  let from: Keyed = { nodes, keys };
  let to: Keyed = { nodes: new Int32Array(count), keys: new Float64Array(count) };
  const places = new Uint32Array(DIGITS);
  for (let digit = 0; digit < 4; digit++) {
    const words = new Uint16Array(from.keys.buffer, from.keys.byteOffset, count * 4);
    places.fill(0);
    for (let at = digit; at < words.length; at += 4) {
      const word = words[at] as number;
      places[word] = (places[word] as number) + 1;
    }
    if (places[words[digit] as number] === count) continue;
    countUp(places, descending);
    for (let at = 0; at < count; at++) {
      const word = words[at * 4 + digit] as number;
      const place = places[word] as number;
      places[word] = place + 1;
      to.nodes[place] = from.nodes[at] as number;
      to.keys[place] = from.keys[at] as number;
    }
    [from, to] = [to, from];
  }
  if (from.nodes !== nodes) {
    nodes.set(from.nodes);
    keys.set(from.keys);
  }
}

/** From the number of each digit to the place of its first one. */
function countUp(places: Uint32Array, descending: boolean): void {
  let sum = 0;
  for (let at = 0; at < DIGITS; at++) {
    const digit = descending ? DIGITS - 1 - at : at;
    const count = places[digit] as number;
    places[digit] = sum;
    sum += count;
  }
}
