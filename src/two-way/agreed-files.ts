import type { Agreed } from './decide-two-way.ts';
import type { Mark } from './mark.ts';
import { PackedMap } from './packed-map.ts';

/** A file about which both sides agreed. */
export interface AgreedFile extends Agreed {
  /** Its path on the second side, if names that count as equal are not identical. */
  readonly bPath?: string;
}

type PackedMark = readonly [
  size: number,
  modTime: string,
  storedTime: string,
  tag: string | null,
  hash: string | null,
  isYoung: 0 | 1,
  /** Absent also in archives of earlier versions. */
  id?: string,
];

/** Files by path as the texts of their marks, outside the heap. Those that are as before take no text. */
export class AgreedFiles {
  readonly #texts = new PackedMap();
  /** The first of several in a row: none keeps all that came before it. */
  readonly #before: PackedMap;
  /** Which rows of `#before` hold. */
  readonly #asBefore: Uint8Array;
  #sameCount = 0;

  constructor(before?: AgreedFiles) {
    if (before === undefined) this.#before = new PackedMap();
    else this.#before = before.#before.rows > 0 ? before.#before : before.#texts;
    this.#asBefore = new Uint8Array(this.#before.rows);
  }

  get size(): number {
    return this.#texts.size + this.#sameCount;
  }

  get(path: string): AgreedFile | undefined {
    const row = this.#before.rowOf(path);
    const text = this.#asBefore[row] === 1 ? this.#before.valueAt(row) : this.#texts.get(path);
    return text === undefined ? undefined : unpackedFile(text);
  }

  set(path: string, { a, b, bPath }: AgreedFile): this {
    const parts = [packed(a), packed(b), ...(bPath === undefined ? [] : [bPath])];
    return this.setText(path, JSON.stringify(parts).slice(1, -1));
  }

  /** Sets a file by the text of its marks. */
  setText(path: string, text: string): this {
    const row = this.#before.rowOf(path);
    const isSame = row >= 0 && this.#before.valueAt(row) === text;
    if (isSame) this.#texts.delete(path);
    else this.#texts.set(path, text);
    if (row >= 0) {
      this.#sameCount += Number(isSame) - (this.#asBefore[row] as number);
      this.#asBefore[row] = Number(isSame);
    }
    return this;
  }

  delete(path: string): void {
    this.#texts.delete(path);
    const row = this.#before.rowOf(path);
    if (this.#asBefore[row] !== 1) return;
    this.#asBefore[row] = 0;
    this.#sameCount--;
  }

  *paths(): Generator<string> {
    for (const row of this.#rowsAsBefore()) yield this.#before.keyAt(row) as string;
    yield* this.#texts.keys();
  }

  /** Paths, and the texts of their marks. */
  *texts(): Generator<readonly [path: string, marks: string]> {
    for (const row of this.#rowsAsBefore()) {
      yield [this.#before.keyAt(row) as string, this.#before.valueAt(row)];
    }
    for (let row = 0; row < this.#texts.rows; row++) {
      const path = this.#texts.keyAt(row);
      if (path !== undefined) yield [path, this.#texts.valueAt(row)];
    }
  }

  /** Paths on both sides that are not identical, by that on the second one. */
  otherNames(): Map<string, string> {
    const names = new Map<string, string>();
    for (const [path, text] of this.texts()) {
      if (text.endsWith(']')) continue;
      const { bPath } = unpackedFile(text);
      if (bPath !== undefined) names.set(bPath, path);
    }
    return names;
  }

  *#rowsAsBefore(): Generator<number> {
    for (let row = 0; row < this.#asBefore.length; row++) if (this.#asBefore[row] === 1) yield row;
  }
}

function packed({ size, modTime, storedTime, tag, hash, isYoung, id }: Mark): PackedMark {
  const time = (value: bigint | undefined) => (value === undefined ? '' : value.toString());
  const mark = [
    ...([size, time(modTime), time(storedTime), tag ?? null, hash ?? null] as const),
    isYoung === true ? 1 : 0,
  ] as const;
  return id === undefined ? mark : [...mark, id];
}

function unpackedFile(text: string): AgreedFile {
  const [a, b, bPath] = JSON.parse(`[${text}]`) as [a: PackedMark, b: PackedMark, bPath?: string];
  const marks = { a: unpacked(a), b: unpacked(b) };
  return bPath === undefined ? marks : { ...marks, bPath };
}

function unpacked([size, modTime, storedTime, tag, hash, isYoung, id]: PackedMark): Mark {
  return {
    size,
    ...(modTime === '' ? {} : { modTime: BigInt(modTime) }),
    ...(storedTime === '' ? {} : { storedTime: BigInt(storedTime) }),
    ...(tag === null ? {} : { tag }),
    ...(hash === null ? {} : { hash }),
    ...(id === undefined ? {} : { id }),
    ...(isYoung === 1 ? { isYoung: true } : {}),
  };
}
