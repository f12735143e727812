import type { Kept, KeptKind } from '../core/entry-details.ts';
import { grown, nextLength } from './grown.ts';
import { NameStore } from './name-store.ts';
import type { NodeId } from './node.ts';

const KINDS = [undefined, 'current', 'old', 'marker', 'old-marker', 'upload'] as const;

/** What a tree has besides sizes that holds old versions and unfinished uploads. */
export class KeptFigures {
  /** Places in `KINDS`. */
  #kind = new Uint8Array(64);
  /** Of a directory with all below it. */
  old = new Float64Array(64);
  uploads = new Float64Array(64);
  readonly #ids = new NameStore();
  #count = 0;

  reach(id: NodeId): void {
    if (id < this.#kind.length) return;
    const length = nextLength(id);
    this.#kind = grown(this.#kind, length);
    this.old = grown(this.old, length);
    this.uploads = grown(this.uploads, length);
  }

  /** Returns the place of the name that the server has for it. */
  set(node: NodeId, { kind, id }: Kept, size: number): number {
    this.#kind[node] = KINDS.indexOf(kind);
    if (kind === 'old') this.old[node] = size;
    if (kind === 'upload') this.uploads[node] = size;
    this.#ids.add(id);
    return this.#count++;
  }

  kind(node: NodeId): KeptKind | undefined {
    return KINDS[this.#kind[node] ?? 0];
  }

  id(place: number): string {
    return this.#ids.text(place);
  }
}
