/** Bytes `from` up to, and not including, `to`. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** Ranges of bytes that neither touch nor overlap, in order. */
export class RangeSet {
  /** Starts and ends alternately, ascending. */
  #edges: number[] = [];
  /** The total size. */
  bytes = 0;

  /** @param edges starts and ends alternately, as `edges()` returns them; unordered ones are skipped */
  constructor(edges: readonly number[] = []) {
    for (let i = 0; i + 1 < edges.length; i += 2) this.add(edges[i] ?? 0, edges[i + 1] ?? 0);
  }

  /** The end of the last range; 0 if there is none. */
  get end(): number {
    return this.#edges.at(-1) ?? 0;
  }

  /** Starts and ends alternately, for the constructor. */
  edges(): number[] {
    return [...this.#edges];
  }

  add(from: number, to: number): void {
    if (from >= to) return;
    const edges = this.#edges;
    // Most are written from start to end.
    const last = edges.length - 1;
    if (last > 0 && from === edges[last]) {
      this.bytes += to - from;
      edges[last] = to;
      return;
    }
    const first = this.#after(from - 1) & ~1;
    let next = first;
    let [begin, end] = [from, to];
    for (; next < edges.length && (edges[next] ?? 0) <= to; next += 2) {
      const [a = 0, b = 0] = [edges[next], edges[next + 1]];
      this.bytes -= b - a;
      begin = Math.min(begin, a);
      end = Math.max(end, b);
    }
    this.bytes += end - begin;
    edges.splice(first, next - first, begin, end);
  }

  /** Removes bytes. */
  remove(from: number, to: number): void {
    if (from >= to) return;
    const left: number[] = [];
    for (const range of this.within(from, to)) {
      this.bytes -= range.to - range.from;
    }
    for (let i = 0; i < this.#edges.length; i += 2) {
      const [a = 0, b = 0] = [this.#edges[i], this.#edges[i + 1]];
      if (a < Math.min(b, from)) left.push(a, Math.min(b, from));
      if (Math.max(a, to) < b) left.push(Math.max(a, to), b);
    }
    this.#edges = left;
  }

  /** Whether all these bytes are included. */
  has(from: number, to: number): boolean {
    return from >= to || this.endAt(from) >= to;
  }

  /** The end of the range that includes `from`; `from` itself if none does. */
  endAt(from: number): number {
    const at = this.#after(from);
    return at % 2 === 1 ? (this.#edges[at] ?? from) : from;
  }

  /** The first gap in these bytes; `undefined` if there is none. */
  gap(from: number, to: number): ByteRange | undefined {
    const begin = this.endAt(from);
    if (begin >= to) return undefined;
    return { from: begin, to: Math.min(to, this.#edges[this.#after(begin)] ?? to) };
  }

  /** All gaps in these bytes. */
  *gaps(from: number, to: number): Generator<ByteRange> {
    for (let gap = this.gap(from, to); gap !== undefined; gap = this.gap(gap.to, to)) yield gap;
  }

  /** The ranges within these bytes. */
  *within(from: number, to: number): Generator<ByteRange> {
    for (let i = this.#after(from) & ~1; i < this.#edges.length; i += 2) {
      const [a = 0, b = 0] = [this.#edges[i], this.#edges[i + 1]];
      if (a >= to) return;
      if (Math.max(a, from) < Math.min(b, to)) {
        yield { from: Math.max(a, from), to: Math.min(b, to) };
      }
    }
  }

  /** Index of the first edge above `at`; odd if the byte `at` is included. */
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
