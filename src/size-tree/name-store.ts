import { nameFromBytes, nameToBytes } from '../core/name-bytes.ts';
import { grown, nextLength } from './grown.ts';

/** The names of all nodes, one after the other in one growing array of bytes. */
export class NameStore {
  /** All names; `start` and `end` are the place of one. */
  bytes = Buffer.alloc(1024);
  /** Where each name begins, and the last one ends. */
  starts = new Uint32Array(64);
  #count = 0;

  /** Adds the name of the next node. */
  add(name: string): void {
    const start = this.#reach(name.length * 3);
    const length = name.isWellFormed()
      ? this.bytes.write(name, start, 'utf8')
      : nameToBytes(name).copy(this.bytes, start);
    this.#count++;
    this.starts[this.#count] = start + length;
  }

  /** Adds the name of the next node, which is from `from` to `to` in other bytes. */
  addBytes(names: Uint8Array, from: number, to: number): void {
    let end = this.#reach(to - from);
    const bytes = this.bytes;
    // Names are short: a loop is faster than a copy.
    for (let at = from; at < to; at++) bytes[end++] = names[at] as number;
    this.#count++;
    this.starts[this.#count] = end;
  }

  /** Makes room for a name of `length` bytes at most; returns where it begins. */
  #reach(length: number): number {
    const start = this.starts[this.#count] as number;
    if (this.#count + 2 > this.starts.length) {
      this.starts = grown(this.starts, nextLength(this.starts.length));
    }
    const most = start + length;
    if (most > this.bytes.length) {
      const longer = Buffer.alloc(Math.max(most, nextLength(this.bytes.length)));
      this.bytes.copy(longer, 0, 0, start);
      this.bytes = longer;
    }
    return start;
  }

  /** Gives a node another name; all names behind it move. */
  rename(node: number, name: string): void {
    const bytes = nameToBytes(name);
    const [start, end] = [this.start(node), this.end(node)];
    const [head, tail] = [this.bytes.subarray(0, start), this.bytes.subarray(end)];
    this.bytes = Buffer.concat([head, bytes, tail]);
    const shift = bytes.length - (end - start);
    for (let at = node + 1; at <= this.#count; at++) this.starts[at] = this.end(at - 1) + shift;
  }

  start(node: number): number {
    return this.starts[node] ?? 0;
  }

  end(node: number): number {
    return this.starts[node + 1] ?? 0;
  }

  text(node: number): string {
    return nameFromBytes(this.bytes.subarray(this.start(node), this.end(node)));
  }

  compare(a: number, b: number): number {
    const bytes = this.bytes;
    let i = this.start(a);
    let j = this.start(b);
    const endA = this.end(a);
    const endB = this.end(b);
    while (i < endA && j < endB) {
      const difference = (bytes[i++] as number) - (bytes[j++] as number);
      if (difference !== 0) return difference;
    }
    return endA - i - (endB - j);
  }
}
