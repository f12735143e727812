import type { SyncerError } from '../../core/errors.ts';
import type { Emit } from '../../core/events.ts';
import { StoreError } from './store-error.ts';

/** What the server is believed to support: nothing, what responses show, CRC-32s in headers, or also as trailers. */
export type Protection = 'none' | 'answers' | 'headers' | 'trailers';

const ORDER: readonly Protection[] = ['none', 'answers', 'headers', 'trailers'];

/** Error codes, with status 400, for unsupported headers or bodies. */
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

/** The server's protections as far as this run knows: starts optimistic, and is only ever reduced. */
export class DataIntegrity {
  #protection: Protection;
  #isProven = false;
  readonly #emit: Emit;

  constructor(protection: Protection, emit: Emit) {
    this.#protection = protection;
    this.#emit = emit;
  }

  /** CRC-32s may be requested from the server: its response shows whether it supports them. */
  get mayAsk(): boolean {
    return this.#protection !== 'none';
  }

  /** Requests may have CRC-32s although no response has shown that the server supports them. */
  get usesChecksums(): boolean {
    return this.#protection === 'headers' || this.#protection === 'trailers';
  }

  /** Bodies may be streamed with a trailer. */
  get usesTrailers(): boolean {
    return this.#protection === 'trailers';
  }

  /** A body with a trailer was accepted, and verified. */
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

  /** Runs `call` with checksums if `isOn`, and again without if the server refuses them. */
  async attempt<T>(
    call: (withChecksums: boolean) => Promise<T>,
    isOn = this.usesChecksums,
  ): Promise<T> {
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

/** Whether a server without support for checksums or trailers would refuse them in this way. */
export function isRefusal(error: unknown): error is StoreError {
  if (!(error instanceof StoreError)) return false;
  if ([411, 417, 501].includes(error.status)) return true;
  return error.status === 400 && REFUSALS.includes(error.s3Code);
}
