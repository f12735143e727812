import { bytesOf } from './grown.ts';

/** Names are counted for files by number and directories by node: pairs of both are the keys. */
const DIRS = 2 ** 28;

/** Files with several names: how often each directory holds one, so that it counts it once, as ncdu does. */
export class HardLinks {
  readonly #numbers = new Map<string, number>();
  #names: number[] = [];
  /** A table of pairs; 0 is none. A pair that is no longer counted stays until the table grows. */
  #keys = new Float64Array(256);
  #counts = new Uint32Array(256);
  #taken = 0;

  /** Bytes this takes, without the numbers. */
  get memory(): number {
    return bytesOf(this.#keys, this.#counts);
  }

  get isEmpty(): boolean {
    return this.#names.length === 0;
  }

  /** The number of a file; `names`: how many the system counts (0: several). */
  numberOf(device: bigint, inode: bigint, names: number): number {
    const key = `${device}:${inode}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#names.push(names) - 1;
    this.#numbers.set(key, number);
    return number;
  }

  /** How many names the file has, also outside of the tree; 0: several. */
  names(number: number): number {
    return this.#names[number] ?? 0;
  }

  /** One name more in a directory or in one below it, or one less; whether it was the first, or the last. */
  count(number: number, dir: number, by: 1 | -1): boolean {
    if (this.#taken * 2 >= this.#keys.length) this.#grow();
    const at = this.#place((number + 1) * DIRS + dir);
    if (this.#keys[at] === 0) {
      this.#keys[at] = (number + 1) * DIRS + dir;
      this.#taken++;
    }
    const before = this.#counts[at] as number;
    this.#counts[at] = before + by;
    return by === 1 ? before === 0 : before === 1;
  }

  #place(key: number): number {
    const mask = this.#keys.length - 1;
    let at = Math.imul((key % DIRS) ^ Math.imul(key / DIRS, 0x9e3779b1), 0x85ebca6b);
    at = (at ^ (at >>> 15)) & mask;
    while (this.#keys[at] !== 0 && this.#keys[at] !== key) at = (at + 1) & mask;
    return at;
  }

  #grow(): void {
    const [keys, counts] = [this.#keys, this.#counts];
    const counted = counts.reduce((sum, count) => sum + (count > 0 ? 1 : 0), 0);
    const length = counted * 4 >= keys.length ? keys.length * 2 : keys.length;
    this.#keys = new Float64Array(length);
    this.#counts = new Uint32Array(length);
    this.#taken = counted;
    for (let from = 0; from < keys.length; from++) {
      if (counts[from] === 0) continue;
      const at = this.#place(keys[from] as number);
      this.#keys[at] = keys[from] as number;
      this.#counts[at] = counts[from] as number;
    }
  }
}
