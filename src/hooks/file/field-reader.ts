import { type FileNode, HookFileFault } from './file-node.ts';

/** Reads the fields of one mapping of a hook file. Absent and null give the empty value; throws `HookFileFault`. */
export class FieldReader {
  readonly #fields = new Map<string, FileNode>();
  /** What the fields belong to, for messages: `hook "a"`. */
  readonly #owner: string;

  constructor(node: FileNode, owner: string) {
    this.#owner = owner;
    if (node.kind === 'null') return;
    if (node.kind !== 'map') throw new HookFileFault(node.place, `${owner} must be a mapping`);
    for (const [key, value] of node.members) {
      // A name in another case is the same field, and null does not take back what stood before.
      const name = key.toLowerCase();
      if (value.kind !== 'null' || !this.#fields.has(name)) this.#fields.set(name, value);
    }
  }

  /** The names that are there, in lower case, with what they hold. */
  get fields(): ReadonlyMap<string, FileNode> {
    return this.#fields;
  }

  text(name: string): string {
    const node = this.node(name);
    if (node === undefined) return '';
    if (node.kind === 'text' || node.kind === 'number') return node.text;
    if (node.kind === 'bool') return String(node.value);
    throw this.#wrong(name, node, 'a text');
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
  list(name: string): readonly FileNode[] | undefined {
    const node = this.node(name);
    if (node === undefined) return undefined;
    if (node.kind === 'list') return node.items;
    throw this.#wrong(name, node, 'a list');
  }

  /** A field that is there and not null. */
  node(name: string): FileNode | undefined {
    const node = this.#fields.get(name);
    return node?.kind === 'null' ? undefined : node;
  }

  #wrong(name: string, node: FileNode, wanted: string): HookFileFault {
    const found = {
      ...{ null: 'null', bool: 'a boolean', number: 'a number', text: 'a text' },
      ...{ list: 'a list', map: 'a mapping' },
    }[node.kind];
    return new HookFileFault(node.place, `${this.#owner}: ${name} must be ${wanted}, not ${found}`);
  }
}
