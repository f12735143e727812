import type { Op } from '../../src/core/remote.ts';
import type { DeletedRun, TrashEffects, TrashWay } from '../../src/size-tree/browser-effects.ts';

/** What is known of the trash of a place. */
export class KeptFiles {
  /** See `TrashEffects`. */
  readonly isFirst: boolean;
  /** It is known how the place keeps what is deleted. */
  isKnown = false;
  /** How it keeps it; `undefined`: it does not, or that is not known. */
  way: TrashWay | undefined;
  /** What is in the trash; `undefined` until it was listed. */
  runs: readonly DeletedRun[] | undefined;
  readonly #trash: TrashEffects;
  readonly #changed: () => void;
  readonly #closing: AbortSignal;
  #reading: Promise<void> = Promise.resolve();

  constructor(trash: TrashEffects, closing: AbortSignal, changed: () => void) {
    this.isFirst = trash.isFirst;
    this.#trash = trash;
    this.#closing = closing;
    this.#changed = changed;
  }

  /** What emptying it would free, as far as that is known. */
  get bytes(): number {
    return (this.runs ?? []).reduce((sum, { bytes, isFixed }) => sum + (isFixed ? 0 : bytes), 0);
  }

  /** Finds out how the place keeps what is deleted. */
  async learn(op: Op): Promise<void> {
    if (!this.isKnown) {
      this.way = await this.#trash.way(op);
      this.isKnown = true;
    }
    if (this.runs === undefined && this.way !== undefined) this.read();
  }

  /** Lists the trash in the background; what cannot be listed is not shown. */
  read(): void {
    const list = () => this.list({ signal: this.#closing });
    this.#reading = this.#reading.then(list).catch(() => undefined);
  }

  async list(op: Op): Promise<void> {
    this.runs = await this.#trash.list(op);
    this.#changed();
  }
}
