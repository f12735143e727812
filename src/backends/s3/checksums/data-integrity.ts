import type { SyncerError } from '../../../core/errors.ts';
import type { Emit } from '../../../core/events.ts';
import { StoreError } from '../store-error.ts';

/**
 * What the server is believed to know of S3's data integrity protections: nothing, what its answers show, CRC-32
 * checksums in headers and documents, or also trailing checksums.
 */
export type Protection = 'none' | 'answers' | 'headers' | 'trailers';

const ORDER: readonly Protection[] = ['none', 'answers', 'headers', 'trailers'];

/** Codes with which stores refuse, with status 400, headers or bodies of a kind they do not know. */
const REFUSALS: readonly string[] = [
  '',
  'InvalidArgument',
  'InvalidChunkSizeError',
  'InvalidRequest',
  'MalformedTrailerError',
  'MissingContentLength',
  'NotImplemented',
  'XAmzContentSHA256Mismatch',
];

/** What a run knows of the store's protections: begins with what is hoped for, and only ever goes down. */
export class DataIntegrity {
  #protection: Protection;
  #isProven = false;
  readonly #emit: Emit;

  constructor(protection: Protection, emit: Emit) {
    this.#protection = protection;
    this.#emit = emit;
  }

  /** The store may be asked for CRC-32s: its answer shows whether it knows them. */
  get mayAsk(): boolean {
    return this.#protection !== 'none';
  }

  /** Requests may carry CRC-32s although no answer has shown that the store knows them. */
  get usesChecksums(): boolean {
    return this.#protection === 'headers' || this.#protection === 'trailers';
  }

  /** Bodies may be streamed with a trailer. */
  get usesTrailers(): boolean {
    return this.#protection === 'trailers';
  }

  /** A body with a trailer was taken, and came out right. */
  get trailersAreProven(): boolean {
    return this.usesTrailers && this.#isProven;
  }

  proveTrailers(): void {
    this.#isProven = true;
  }

  /** Uses no more than `protection` for the rest of the run. `why` is logged, once. */
  limitTo(protection: Protection, why: SyncerError | 'ignored'): void {
    if (ORDER.indexOf(this.#protection) <= ORDER.indexOf(protection)) return;
    this.#protection = protection;
    const fields = { what: protection === 'none' ? 'headers' : 'trailers', why } as const;
    this.#emit({ type: 'log', level: 'debug', code: 'checksums-disabled', fields });
  }

  /** Runs `call` with checksums where the store is believed to know them, and again without where it refuses them. */
  attempt<T>(call: (withChecksums: boolean) => Promise<T>): Promise<T> {
    return this.#attempt(this.usesChecksums, call);
  }

  /** As `attempt`, for a call whose answer shows whether the store knows checksums. */
  ask<T>(call: (withChecksums: boolean) => Promise<T>): Promise<T> {
    return this.#attempt(this.mayAsk, call);
  }

  async #attempt<T>(isOn: boolean, call: (withChecksums: boolean) => Promise<T>): Promise<T> {
    if (!isOn) return call(false);
    try {
      return await call(true);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.limitTo('none', error);
      return call(false);
    }
  }
}

/** Whether a store that does not know checksums or trailers would refuse them in this way. */
export function isRefusal(error: unknown): error is StoreError {
  if (!(error instanceof StoreError)) return false;
  if ([411, 417, 501].includes(error.status)) return true;
  return error.status === 400 && REFUSALS.includes(error.s3Code);
}
