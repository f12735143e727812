import { SyncerError } from '../../src/core/errors.ts';
import { parseByteSize } from '../../src/go/byte-size.ts';
import { parseDuration } from '../../src/go/duration.ts';

/** How much a scrub reads, in bytes or in milliseconds; neither: everything. */
export interface ScrubLimit {
  readonly bytes?: number;
  readonly ms?: number;
}

/** A number with a unit of time in small letters: `2h`, `1h30m`. Anything else is a size: `100G`. */
const DURATION = /^([\d.]+(ms|s|m|h|d|w|y))+$/;

/** Parses `--budget`. Throws `command-line`. */
export function parseScrubLimit(text: string | undefined): ScrubLimit {
  if (text === undefined) return {};
  try {
    const amount = DURATION.test(text)
      ? { ms: parseDuration(text, 0) }
      : { bytes: parseByteSize(text) };
    if ((amount.ms ?? amount.bytes ?? 0) > 0) return amount;
  } catch {
    // Reported below.
  }
  const advice = 'use a size such as 100G, or a time such as 2h';
  throw new SyncerError('command-line', `invalid value for flag --budget: "${text}"`, { advice });
}

/** What is left of a limit. */
export class ScrubBudget {
  readonly #limit: ScrubLimit;
  readonly #endMs: number;
  readonly #nowMs: () => number;
  #bytes = 0;

  /** @param nowMs `Clock.monotonic` */
  constructor(limit: ScrubLimit, nowMs: () => number) {
    this.#limit = limit;
    this.#nowMs = nowMs;
    this.#endMs = nowMs() + (limit.ms ?? Number.POSITIVE_INFINITY);
  }

  /** Nothing more may be read. */
  get isSpent(): boolean {
    return this.#bytes >= (this.#limit.bytes ?? Number.POSITIVE_INFINITY) || this.isOver;
  }

  /** The time is over. */
  get isOver(): boolean {
    return this.#nowMs() >= this.#endMs;
  }

  /**
   * Takes a file of `bytes` if it still fits. The first one always does: a file larger than the budget would never be
   * read.
   */
  take(bytes: number): boolean {
    const { bytes: most = Number.POSITIVE_INFINITY } = this.#limit;
    if (this.isOver || (this.#bytes > 0 && this.#bytes + bytes > most)) return false;
    this.#bytes += bytes;
    return true;
  }
}
