import type { GraphFault, GraphFaultRule, SeenGraphRequest } from './graph-fault.ts';

/** What a throttle does. */
export interface ThrottleOptions {
  /** It closes at these numbers of Graph requests, counted from 0 while it is open. */
  readonly closesAt: readonly number[];
  /** For how long it closes, as `Retry-After` says. */
  readonly seconds: number;
  readonly status?: 429 | 503;
  /** `Retry-After` names the time instead of the seconds. */
  readonly asDate?: boolean;
  /** Whoever comes too early makes it last the whole time from then on. */
  readonly prolongs?: boolean;
}

/** Answers 429 for a while, as the real service does when it is asked too much: to everything, not to one request. */
export class Throttle {
  /** Requests that came while it was closed, beside those that closed it. */
  tooEarly: SeenGraphRequest[] = [];
  /** How often it closed. */
  closings = 0;
  readonly #options: ThrottleOptions;
  readonly #now: () => number;
  #passed = 0;
  #closedUntil = 0;

  constructor(options: ThrottleOptions, now: () => number = Date.now) {
    this.#options = options;
    this.#now = now;
  }

  /** To be given to `setFaults`. The sign-in and the contents' addresses are not throttled. */
  readonly rule: GraphFaultRule = (request) => {
    if (!request.authorized || /^\/(upload|download|monitor)\//.test(request.path))
      return undefined;
    const { closesAt, seconds, prolongs = false } = this.#options;
    if (this.#now() < this.#closedUntil) {
      this.tooEarly.push(request);
      if (prolongs) this.#closedUntil = this.#now() + seconds * 1000;
      return this.#answer();
    }
    const number = this.#passed++;
    if (!closesAt.includes(number)) return undefined;
    this.closings++;
    this.#closedUntil = this.#now() + seconds * 1000;
    return this.#answer();
  };

  #answer(): GraphFault {
    const { status = 429, asDate = false } = this.#options;
    const left = this.#closedUntil - this.#now();
    const date = new Date(Math.ceil(this.#closedUntil / 1000) * 1000);
    return { status, retryAfter: asDate ? date.toUTCString() : Math.ceil(left / 1000) };
  }
}
