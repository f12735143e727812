import { GoFault } from './go-errno.ts';

/** Maximum number of values in a payload: each takes many times the memory of its text. */
const MAX_VALUES = 1_000_000;

/** The payload has too many values. */
export class TooManyValues extends GoFault {
  constructor() {
    super(`the payload holds more than ${MAX_VALUES} values`);
  }
}

/** Counts the values of a payload. */
export class ValueRoom {
  #left = MAX_VALUES;

  /** Throws `TooManyValues`. */
  take(): void {
    if (--this.#left < 0) throw new TooManyValues();
  }
}
