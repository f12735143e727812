import type { Clock } from '../../../core/context.ts';

/** So long a URL is used, in milliseconds: the service promises minutes to an hour. */
const GOOD_FOR_MS = 5 * 60_000;
/** So many are kept: those of a page of a listing and what is being read. */
const MOST = 2500;

interface Kept {
  readonly url: string;
  readonly untilMs: number;
}

/** The URLs that listings and other answers gave for the contents of files: each saves a request. */
export class DownloadUrls {
  readonly #clock: Clock;
  /** By the id of the entry, the oldest first. */
  readonly #kept = new Map<string, Kept>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  keep(id: string, url: string): void {
    this.#kept.delete(id);
    this.#kept.set(id, { url, untilMs: this.#clock.monotonic() + GOOD_FOR_MS });
    if (this.#kept.size <= MOST) return;
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined) this.#kept.delete(oldest);
  }

  /** The URL for an entry, if there is one that should still be good. */
  get(id: string): string | undefined {
    const kept = this.#kept.get(id);
    if (kept === undefined || kept.untilMs > this.#clock.monotonic()) return kept?.url;
    this.#kept.delete(id);
    return undefined;
  }

  forget(id: string): void {
    this.#kept.delete(id);
  }
}
