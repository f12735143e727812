import { foldName } from '../../core/name-order.ts';

/** The children (`N`) of a directory at one moment, in the order of the listing. */
export interface Snapshot<N> {
  readonly names: readonly string[];
  readonly nodes: readonly N[];
}

/** The known children (`N`) of a directory, by name: all if its listing is valid. */
export class Children<N> {
  #byName: Map<string, N> | undefined;
  /** By folded name, on a remote that ignores case. */
  #folded: Map<string, string> | undefined;
  #snapshot: Snapshot<N> | undefined;

  get size(): number {
    return this.#byName?.size ?? 0;
  }

  get(name: string): N | undefined {
    return this.#byName?.get(name);
  }

  /** The child whose name differs in case only. */
  spelt(name: string): N | undefined {
    if (this.#byName === undefined) return undefined;
    if (this.#folded === undefined) {
      this.#folded = new Map();
      for (const each of this.#byName.keys()) this.#folded.set(foldName(each), each);
    }
    const spelt = this.#folded.get(foldName(name));
    return spelt === undefined ? undefined : this.#byName.get(spelt);
  }

  nodes(): Iterable<N> {
    return this.#byName?.values() ?? [];
  }

  entries(): Iterable<readonly [name: string, node: N]> {
    return this.#byName ?? [];
  }

  /** The current children; shared by all readers until they change. */
  snapshot(): Snapshot<N> {
    this.#snapshot ??= {
      names: [...(this.#byName?.keys() ?? [])],
      nodes: [...(this.#byName?.values() ?? [])],
    };
    return this.#snapshot;
  }

  put(name: string, node: N): void {
    this.#byName ??= new Map();
    this.#byName.set(name, node);
    this.#folded?.set(foldName(name), name);
    this.#snapshot = undefined;
  }

  delete(name: string): void {
    this.#byName?.delete(name);
    this.#snapshot = undefined;
    if (this.#folded === undefined) return;
    const folded = foldName(name);
    if (this.#folded.get(folded) === name) this.#folded.delete(folded);
  }

  /** A listing has found these. */
  replace(next: Map<string, N>): void {
    if (this.#byName === undefined || differs(this.#byName, next)) this.#snapshot = undefined;
    this.#byName = next;
    this.#folded = undefined;
  }

  /** Frees what can be computed again. */
  trim(): void {
    this.#snapshot = undefined;
    this.#folded = undefined;
    if (this.#byName?.size === 0) this.#byName = undefined;
  }

  clear(): void {
    this.#byName = undefined;
    this.#snapshot = undefined;
  }
}

function differs<N>(old: ReadonlyMap<string, N>, next: ReadonlyMap<string, N>): boolean {
  if (old.size !== next.size) return true;
  for (const [name, node] of next) if (old.get(name) !== node) return true;
  return false;
}
