import { compareNames, isBetween } from '../../../core/name-order.ts';
import { ownText } from '../../../kit/own-text.ts';
import type { ListedKey } from '../xml/list-page.ts';
import { isInside, type ListedPart } from './listed-part.ts';
import type { NameAlphabet, Scale } from './name-alphabet.ts';

/** The parts of an ordered listing, in estimated pages: the usual length, and the least. */
const PIECE = 4;
const LEAST_PIECE = 2;

/** How many pages given last show how names are spread. */
const SCALE = 16;

/** Points at which an ordered listing may be cut, guessed from how names are spread on the pages before. */
export class GuessedPoints {
  readonly #alphabet: NameAlphabet;
  /** The first keys of the pages given last. */
  readonly #given: string[] = [];
  /** The points that are being tried. */
  readonly #tried = new Set<string>();
  /** How many may be at the same time: one more after each that was right, half as many after a miss. */
  #most = 1;

  constructor(alphabet: NameAlphabet) {
    this.#alphabet = alphabet;
  }

  /** The reader got these keys. */
  noteGiven([first]: readonly ListedKey[]): void {
    if (first === undefined) return;
    this.#given.push(ownText(first.key));
    if (this.#given.length > SCALE) this.#given.shift();
  }

  /** How names are spread; `undefined` if too few were given. */
  get scale(): Scale | undefined {
    const [first, , ...others] = this.#given;
    const last = others.at(-1);
    if (first === undefined || last === undefined) return undefined;
    return { first, last, pages: this.#given.length - 1 };
  }

  /** Where a part may be cut: a few pages behind the points that are being tried, and at most `within` pages ahead. */
  next(part: ListedPart & { readonly last: string }, within: number): string | undefined {
    const { scale } = this;
    if (scale === undefined || this.#tried.size >= this.#most) return undefined;
    const { last, bound, left } = part;
    let before = last;
    for (const point of this.#tried) {
      if (isInside(point, part) && compareNames(before, point) < 0) before = point;
    }
    const pages = PIECE + this.#alphabet.pagesBetween(scale, last, before);
    if (pages > within || (bound !== undefined && left < pages + LEAST_PIECE)) return undefined;
    const point = this.#alphabet.ahead(scale, last, pages);
    return point !== undefined && isBetween(point, before, bound) ? point : undefined;
  }

  /** The point is tried now. */
  begin(point: string): void {
    this.#tried.add(point);
  }

  /** A point was tried, whether it was guessed or not. */
  end(point: string, isMiss: boolean): void {
    if (!this.#tried.delete(point)) return;
    this.#most = isMiss ? Math.max(1, this.#most >> 1) : this.#most + 1;
  }
}
