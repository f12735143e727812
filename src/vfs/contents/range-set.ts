/** Bytes `from` up to, and not including, `to`. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** Which bytes of a file there are: ranges that neither touch nor overlap, in order. */
export class RangeSet {
  /** Begins and ends in turn, rising. */
  #edges: number[];
  #bytes: number;

  /** @param edges begins and ends in turn, as `edges()` gives them; what is not in order is left out. */
  constructor(edges: readonly number[] = []) {
    this.#edges = [];
    this.#bytes = 0;
    for (let i = 0; i + 1 < edges.length; i += 2) this.add(edges[i] ?? 0, edges[i + 1] ?? 0);
  }

  /** How many bytes there are in all. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Behind the last byte; 0 where there are none. */
  get end(): number {
    return this.#edges.at(-1) ?? 0;
  }

  /** Begins and ends in turn: what the constructor takes. */
  edges(): number[] {
    return [...this.#edges];
  }

  add(from: number, to: number): void {
    if (from >= to) return;
    const edges = this.#edges;
    // Most are written from start to end.
    const last = edges.length - 1;
    if (last > 0 && from === edges[last]) {
      this.#bytes += to - from;
      edges[last] = to;
      return;
    }
    const first = this.#after(from - 1) & ~1;
    let next = first;
    let [begin, end] = [from, to];
    for (; next < edges.length && (edges[next] ?? 0) <= to; next += 2) {
      const [a = 0, b = 0] = [edges[next], edges[next + 1]];
      this.#bytes -= b - a;
      begin = Math.min(begin, a);
      end = Math.max(end, b);
    }
    this.#bytes += end - begin;
    edges.splice(first, next - first, begin, end);
  }

  /** Takes bytes out. */
  remove(from: number, to: number): void {
    if (from >= to) return;
    const left: number[] = [];
    for (const range of this.within(from, to)) {
      this.#bytes -= range.to - range.from;
    }
    for (let i = 0; i < this.#edges.length; i += 2) {
      const [a = 0, b = 0] = [this.#edges[i], this.#edges[i + 1]];
      if (a < Math.min(b, from)) left.push(a, Math.min(b, from));
      if (Math.max(a, to) < b) left.push(Math.max(a, to), b);
    }
    this.#edges = left;
  }

  /** Whether all these bytes are there. */
  has(from: number, to: number): boolean {
    return from >= to || this.endAt(from) >= to;
  }

  /** Up to where the bytes from `from` on are there without a gap; `from` itself where that one is missing. */
  endAt(from: number): number {
    const at = this.#after(from);
    return at % 2 === 1 ? (this.#edges[at] ?? from) : from;
  }

  /** The first gap in these bytes; `undefined` where all are there. */
  gap(from: number, to: number): ByteRange | undefined {
    const begin = this.endAt(from);
    if (begin >= to) return undefined;
    return { from: begin, to: Math.min(to, this.#edges[this.#after(begin)] ?? to) };
  }

  /** All gaps in these bytes. */
  *gaps(from: number, to: number): Generator<ByteRange> {
    for (let gap = this.gap(from, to); gap !== undefined; gap = this.gap(gap.to, to)) yield gap;
  }

  /** What of these bytes is there. */
  *within(from: number, to: number): Generator<ByteRange> {
    for (let i = this.#after(from) & ~1; i < this.#edges.length; i += 2) {
      const [a = 0, b = 0] = [this.#edges[i], this.#edges[i + 1]];
      if (a >= to) return;
      if (Math.max(a, from) < Math.min(b, to)) {
        yield { from: Math.max(a, from), to: Math.min(b, to) };
      }
    }
  }

  /** Index of the first edge above `at`; odd where the byte `at` is there. */
  #after(at: number): number {
    let [low, high] = [0, this.#edges.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#edges[middle] ?? 0) > at) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
