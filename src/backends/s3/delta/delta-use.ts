import type { PartCopies } from '../../../core/content-pieces.ts';

/** What a run has learned of copies of parts in a store. */
export class DeltaUse {
  /** How the store proves the parts that it copies; `undefined`: not known yet. */
  proof: 'crc32' | 'md5' | undefined;
  /** Which parts may be copied, by bucket. */
  readonly copiesIn = new Map<string, Promise<PartCopies['copiesParts'] | 'unknown'>>();
  #stopped: string | undefined;

  /** Why no more parts are copied; `undefined` if they may be. */
  get stopped(): string | undefined {
    return this.#stopped;
  }

  stop(why: string): void {
    this.#stopped ??= why;
  }

  /**
   * Notes how long an upload with copied parts took in all, and its sent parts: where sending all of it would have been
   * quicker, as in a store on the same machine, no more parts are copied.
   */
  notePace(whole: TimedBytes, sent: TimedBytes): void {
    if (sent.bytes === 0 || sent.ms === 0) return;
    if (whole.ms > (whole.bytes / sent.bytes) * sent.ms) this.stop('sending all is quicker here');
  }
}

/** How long bytes took. */
export interface TimedBytes {
  readonly bytes: number;
  readonly ms: number;
}
