import { GoFault } from './go-fault.ts';

/** A payload may hold so many values: each takes many times the memory of what it is written with. */
const MAX_VALUES = 1_000_000;

/** A payload holds more values than it may. */
export class TooManyValues extends GoFault {
  constructor() {
    super(`the payload holds more than ${MAX_VALUES} values`);
  }
}

/** How many values a payload may still hold. */
export class ValueRoom {
  #left = MAX_VALUES;

  /** Throws `TooManyValues` where there is no more room. */
  take(): void {
    if (--this.#left < 0) throw new TooManyValues();
  }
}
