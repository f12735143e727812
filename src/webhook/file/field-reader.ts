import { HookFileFault, type HookFileNode, type HookFilePlace } from './read-hook-file.ts';

/** Reads the fields of one mapping of a hook file. Absent and null give the empty value; throws `HookFileFault`. */
export class FieldReader {
  readonly #fields = new Map<string, HookFileNode>();
  /** What the fields belong to, for messages: `hook "a"`. */
  readonly #owner: string;
  readonly #place: HookFilePlace;

  constructor(node: HookFileNode, owner: string) {
    this.#owner = owner;
    this.#place = node.place;
    if (node.kind === 'null') return;
    if (node.kind !== 'map') throw new HookFileFault(node.place, `${owner} must be a mapping`);
    // A name in another case is the same field; the last one in the order of bytes counts, as in webhook 2.8.0, and null
    // does not take back what stood before.
    for (const [key, value] of node.members.toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)))) {
      const name = key.toLowerCase();
      if (value.kind !== 'null' || !this.#fields.has(name)) this.#fields.set(name, value);
    }
  }

  text(name: string): string {
    const node = this.node(name);
    if (node === undefined) return '';
    if (node.kind === 'text' || node.kind === 'number') return node.text;
    if (node.kind === 'bool') return String(node.value);
    throw this.#wrong(name, node, 'a string');
  }

  bool(name: string): boolean {
    const node = this.node(name);
    if (node === undefined) return false;
    if (node.kind === 'bool') return node.value;
    throw this.#wrong(name, node, 'true or false');
  }

  whole(name: string): number {
    const node = this.node(name);
    if (node === undefined) return 0;
    if (node.kind === 'number' && Number.isInteger(node.value)) return node.value;
    throw this.#wrong(name, node, 'a whole number');
  }

  /** A list's items, `undefined` where it is absent. */
  list(name: string): readonly HookFileNode[] | undefined {
    const node = this.node(name);
    if (node === undefined) return undefined;
    if (node.kind === 'list') return node.items;
    throw this.#wrong(name, node, 'a list');
  }

  /** A whole number that is not negative. */
  count(name: string): number {
    const number = this.whole(name);
    if (number >= 0 && Number.isSafeInteger(number)) return number;
    throw this.fault(name, 'must not be negative');
  }

  /** One of some words; `undefined` where it is absent. */
  word<W extends string>(name: string, words: readonly W[]): W | undefined {
    const text = this.text(name);
    if (text === '') return undefined;
    const found = words.find((word) => word === text);
    if (found !== undefined) return found;
    throw this.fault(name, `must be ${words.map((word) => `"${word}"`).join(' or ')}`);
  }

  /** Whether a field is there and not null. */
  has(name: string): boolean {
    return this.node(name) !== undefined;
  }

  /** The fields that are none of `known`, whatever they hold. */
  besides(known: readonly string[]): string[] {
    return [...this.#fields.keys()].filter((name) => !known.includes(name));
  }

  /** Where a field stands; that of the mapping where it is absent. */
  placeOf(name: string): HookFilePlace {
    return this.#fields.get(name)?.place ?? this.#place;
  }

  /** What is wrong with a field, with its name and place. */
  fault(name: string, text: string): HookFileFault {
    return new HookFileFault(this.placeOf(name), `${this.#owner}: ${name} ${text}`);
  }

  /** A field that is there and not null. */
  node(name: string): HookFileNode | undefined {
    const node = this.#fields.get(name);
    return node?.kind === 'null' ? undefined : node;
  }

  #wrong(name: string, node: HookFileNode, wanted: string): HookFileFault {
    const found = {
      null: 'null',
      bool: 'a boolean',
      number: 'a number',
      text: 'a string',
      list: 'a list',
      map: 'a mapping',
    }[node.kind];
    return new HookFileFault(node.place, `${this.#owner}: ${name} must be ${wanted}, not ${found}`);
  }
}
