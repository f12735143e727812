import { goQuote } from '../../go/go-texts.ts';
import { HookFileFault, type HookFileNode, type HookFilePlace } from './read-hook-file.ts';
import type { ReferenceReader } from './reference-reader.ts';

/** What is wrong in a hook that can be loaded, and where in the file. */
export interface HookFault {
  readonly place: HookFilePlace;
  readonly text: string;
  /**
   * `error`: it never works, or lets in requests that it should refuse. `warning`: it may be a mistake. `note`: it
   * works otherwise than in webhook 2.8.0.
   */
  readonly weight: 'error' | 'warning' | 'note';
  /** It is about the rule, which decides whose requests run the command. */
  readonly isOfRule: boolean;
}

const FOUND = {
  null: 'null',
  bool: 'a boolean',
  number: 'a number',
  text: 'a string',
  list: 'a list',
  map: 'a mapping',
} as const;

export interface HookReading {
  /** For messages: `hook "a"`. */
  readonly owner: string;
  readonly references: ReferenceReader;
  readonly faults: HookFault[];
}

/**
 * Reads the fields of one mapping of a hook, and notes what is wrong with them. Absent and null give the empty value;
 * throws `HookFileFault`.
 */
export class HookFields<Name extends string = string> {
  readonly #fields = new Map<string, HookFileNode>();
  readonly #known: Readonly<Record<Name, unknown>>;
  readonly #place: HookFilePlace;
  readonly #hook: HookReading;
  /** Stands before the names of fields; empty for those of the hook itself. */
  readonly #path: string;
  /** There is no mapping. */
  readonly isNull: boolean;

  /** @param known the table of its fields */
  constructor(
    node: HookFileNode,
    known: Readonly<Record<Name, unknown>>,
    hook: HookReading,
    path = '',
  ) {
    this.#place = node.place;
    this.#known = known;
    this.#hook = hook;
    this.#path = path;
    this.isNull = node.kind === 'null';
    if (node.kind === 'null') return;
    if (node.kind !== 'map')
      throw new HookFileFault(node.place, `${this.#owner} must be a mapping`);
    // A name in another case is the same field; the last one in the order of bytes counts, as in webhook 2.8.0, and null
    // does not take back what stood before.
    for (const [key, value] of node.members.toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)))) {
      const name = key.toLowerCase();
      if (value.kind !== 'null' || !this.#fields.has(name)) this.#fields.set(name, value);
    }
  }

  text(name: Name): string {
    const node = this.#node(name);
    return node === undefined ? '' : this.#textOf(name, node);
  }

  texts(name: Name): string[] {
    const nodes = this.#list(name) ?? [];
    return nodes.map((node) => (node.kind === 'null' ? '' : this.#textOf(name, node)));
  }

  bool(name: Name): boolean {
    const node = this.#node(name);
    if (node === undefined) return false;
    if (node.kind === 'bool') return node.value;
    throw this.#wrong(name, node, 'true or false');
  }

  whole(name: Name): number {
    const node = this.#node(name);
    if (node === undefined) return 0;
    if (node.kind === 'number' && Number.isInteger(node.value)) return node.value;
    throw this.#wrong(name, node, 'a whole number');
  }

  /** A whole number that is not negative. */
  count(name: Name): number {
    const number = this.whole(name);
    if (number >= 0 && Number.isSafeInteger(number)) return number;
    throw this.fault(name, 'must not be negative');
  }

  /** One of some words; `undefined` where it is absent. */
  word<W extends string>(name: Name, words: readonly W[]): W | undefined {
    const text = this.text(name);
    if (text === '') return undefined;
    const found = words.find((word) => word === text);
    if (found !== undefined) return found;
    throw this.fault(name, `must be ${words.map((word) => `"${word}"`).join(' or ')}`);
  }

  /** A text with what its references stand for. */
  expanded(name: Name): string {
    const owner = `${this.#owner}.${name}`;
    return this.#hook.references.expand(this.text(name), this.#placeOf(name), owner);
  }

  /** A mapping in this one. */
  part<Inner extends string>(
    name: Name,
    known: Readonly<Record<Inner, unknown>>,
  ): HookFields<Inner> {
    const node = this.#node(name) ?? { kind: 'null', place: this.#place };
    return new HookFields(node, known, this.#hook, this.#pathOf(name));
  }

  /** The mappings of a list, `undefined` where it is absent. */
  parts<Inner extends string>(
    name: Name,
    known: Readonly<Record<Inner, unknown>>,
  ): HookFields<Inner>[] | undefined {
    const path = this.#pathOf(name);
    const pathAt = (index: number) => (this.#path === '' ? path : `${path}[${index}]`);
    return this.#list(name)?.map((node, i) => new HookFields(node, known, this.#hook, pathAt(i)));
  }

  /** Whether a field is there and not null. */
  has(name: Name): boolean {
    return this.#node(name) !== undefined;
  }

  hasNull(name: Name): boolean {
    return this.#fields.get(name)?.kind === 'null';
  }

  /** Why the file cannot be loaded: what is wrong with a field. */
  fault(name: Name, text: string): HookFileFault {
    return new HookFileFault(this.#placeOf(name), `${this.#owner}: ${name} ${text}`);
  }

  /** Notes what is wrong with a field; `text` follows its name. */
  note(weight: HookFault['weight'], name: Name, text: string): void {
    this.#note(weight, this.#placeOf(name), `${this.#pathOf(name)}${text}`);
  }

  /** Notes what is wrong with the whole mapping. */
  noteWhole(weight: HookFault['weight'], text: string): void {
    this.#note(weight, this.#place, `${this.#path}${text}`);
  }

  /** Notes the keys that are neither in the table nor among `ignored`. */
  noteUnknown(ignored: readonly string[] = [], behind = ''): void {
    const before = this.#path === '' ? '' : `${this.#path}: `;
    for (const [name, { place }] of this.#fields) {
      if (Object.hasOwn(this.#known, name) || ignored.includes(name)) continue;
      this.#note('warning', place, `${before}unknown key ${goQuote(name)}${behind}`);
    }
  }

  /** Whether a text is given; if not, that is noted, with the effect. */
  needs(name: Name, effect: string): boolean {
    if (!this.has(name)) this.note('error', name, ` is missing: ${effect}`);
    else if (this.text(name) === '') this.note('error', name, ` is empty: ${effect}`);
    return this.text(name) !== '';
  }

  #note(weight: HookFault['weight'], place: HookFilePlace, text: string): void {
    const isOfRule = this.#path.startsWith('trigger-rule');
    this.#hook.faults.push({ place, text: `${this.#hook.owner}: ${text}`, weight, isOfRule });
  }

  get #owner(): string {
    const { owner } = this.#hook;
    return this.#path === '' ? owner : `${owner}: ${this.#path}`;
  }

  #pathOf(name: string): string {
    return this.#path === '' ? name : `${this.#path}.${name}`;
  }

  /** Where a field stands; that of the mapping where it is absent. */
  #placeOf(name: string): HookFilePlace {
    return this.#fields.get(name)?.place ?? this.#place;
  }

  /** A field that is there and not null. */
  #node(name: string): HookFileNode | undefined {
    const node = this.#fields.get(name);
    return node?.kind === 'null' ? undefined : node;
  }

  #textOf(name: string, node: HookFileNode): string {
    if (node.kind === 'text' || node.kind === 'number') return node.text;
    if (node.kind === 'bool') return String(node.value);
    throw this.#wrong(name, node, 'a string');
  }

  #list(name: string): readonly HookFileNode[] | undefined {
    const node = this.#node(name);
    if (node === undefined || node.kind === 'list') return node?.items;
    throw this.#wrong(name, node, 'a list');
  }

  #wrong(name: string, node: HookFileNode, wanted: string): HookFileFault {
    const found = FOUND[node.kind];
    return new HookFileFault(node.place, `${this.#owner}: ${name} must be ${wanted}, not ${found}`);
  }
}
