import type { SyncerError } from '../../core/errors.ts';
import type { Emit } from '../../core/events.ts';
import { hasS3Code, refusesForm, type StoreError } from './store-error.ts';

/** What the server is believed to support: nothing, what responses show, CRC-32s in headers, or also as trailers. */
export type Protection = 'none' | 'answers' | 'headers' | 'trailers';

const LEVELS: readonly Protection[] = ['none', 'answers', 'headers', 'trailers'];

/** The server's protections as far as this run knows: starts optimistic, and is only ever reduced. */
export class DataIntegrity {
  #level: number;
  #isProven = false;
  readonly #emit: Emit;

  constructor(protection: Protection, emit: Emit) {
    this.#level = LEVELS.indexOf(protection);
    this.#emit = emit;
  }

  /** Whether the server is believed to support this; of `answers`, its response to a request for CRC-32s shows it. */
  supports(protection: Protection): boolean {
    return this.#level >= LEVELS.indexOf(protection);
  }

  /** A body with a trailer was accepted, and verified. */
  get trailersAreProven(): boolean {
    return this.#isProven && this.supports('trailers');
  }

  proveTrailers(): void {
    this.#isProven = true;
  }

  /** Uses no more than `protection` for the rest of the run. `why` is logged, once. */
  limitTo(protection: Protection, why: SyncerError | 'ignored'): void {
    const level = LEVELS.indexOf(protection);
    if (this.#level <= level) return;
    this.#level = level;
    const fields = { what: protection === 'none' ? 'headers' : 'trailers', why } as const;
    this.#emit({ type: 'log', level: 'debug', code: 'checksums-disabled', fields });
  }

  /** Runs `call` with checksums if `isOn`, and again without if the server refuses them. */
  async attempt<T>(
    call: (withChecksums: boolean) => Promise<T>,
    isOn = this.supports('headers'),
  ): Promise<T> {
    if (!isOn) return call(false);
    try {
      return await call(true);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const done = await call(false);
      // Otherwise the checksums were not the reason.
      this.limitTo('none', error);
      return done;
    }
  }
}

/** Whether a server without support for checksums or trailers would refuse them in this way. */
export function isRefusal(error: unknown): error is StoreError {
  // Of a body in chunks, some servers hash the frames too.
  return refusesForm(error) || hasS3Code(error, 'XAmzContentSHA256Mismatch');
}
