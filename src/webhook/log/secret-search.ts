import { readable } from './form-text.ts';
import { isSecretName } from './secret-names.ts';

/** What a search may cost: a longer one would delay other requests. */
const MOST_STEPS = 2_000_000;
/** Steps that a name counts for which was not seen before. */
const NAME_STEPS = 20;
/** Steps that a secret counts for: 10,000 are too many. */
const PLACE_STEPS = 200;

/** There is too much to look at: nothing of it may be shown. */
export class SearchTooLong extends Error {}

/** One search for secrets by their names, in one or more texts. */
export class SecretSearch {
  readonly #known = new Map<string, boolean>();
  #left = MOST_STEPS;

  /** Whether the value under a name is a secret, also if it is written with percent codes. Throws `SearchTooLong`. */
  isSecret(name: string): boolean {
    this.spend(1);
    let is = this.#known.get(name);
    if (is === undefined) {
      this.spend(NAME_STEPS);
      is = isSecretName(readable(name));
      this.#known.set(name, is);
    }
    return is;
  }

  /** Counts a secret. Throws `SearchTooLong`. */
  foundPlace(): void {
    this.spend(PLACE_STEPS);
  }

  /** Counts steps. Throws `SearchTooLong`. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new SearchTooLong();
  }
}
