import { randomFrom } from '../../test/support/random-from.ts';

/** Chance that comes from a seed. */
export class Dice {
  readonly #below: (below: number) => number;

  constructor(seed: number) {
    this.#below = randomFrom(seed);
  }

  below(limit: number): number {
    return this.#below(limit);
  }

  /** True in `percent` of cases. */
  chance(percent: number): boolean {
    return this.#below(100) < percent;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.#below(choices.length)] as T;
  }
}
