import type { Op } from '../../src/core/remote.ts';
import type { DeletedRun, TrashEffects, TrashWay } from '../../src/size-tree/browser-effects.ts';

/** What is known of the trash of a place. */
export class KeptFiles {
  readonly #trash: TrashEffects;
  readonly #changed: () => void;
  readonly #closing: AbortSignal;
  #learned: { readonly way: TrashWay | undefined } | undefined;
  #runs: readonly DeletedRun[] | undefined;
  #reading: Promise<void> | undefined;

  constructor(trash: TrashEffects, closing: AbortSignal, changed: () => void) {
    this.#trash = trash;
    this.#closing = closing;
    this.#changed = changed;
  }

  /** See `TrashEffects`. */
  get isFirst(): boolean {
    return this.#trash.isFirst;
  }

  /** It is known how the place keeps what is deleted. */
  get isKnown(): boolean {
    return this.#learned !== undefined;
  }

  /** How it keeps it; `undefined`: it does not, or that is not known. */
  get way(): TrashWay | undefined {
    return this.#learned?.way;
  }

  /** What is in the trash; `undefined` until it was listed. */
  get runs(): readonly DeletedRun[] | undefined {
    return this.#runs;
  }

  /** What emptying it would free, as far as that is known. */
  get bytes(): number {
    return (this.#runs ?? []).reduce((sum, { bytes, isFixed }) => sum + (isFixed ? 0 : bytes), 0);
  }

  /** Finds out how the place keeps what is deleted. */
  async learn(op: Op): Promise<void> {
    this.#learned ??= { way: await this.#trash.way(op) };
    if (this.#runs === undefined && this.way !== undefined) this.read();
  }

  /** Lists the trash in the background; what cannot be listed is not shown. */
  read(): void {
    const before = this.#reading ?? Promise.resolve();
    this.#reading = before.then(() => this.list({ signal: this.#closing })).catch(() => undefined);
  }

  /** Lists the trash. */
  async list(op: Op): Promise<void> {
    this.#runs = await this.#trash.list(op);
    this.#changed();
  }
}
