import { compareNames, isBetween } from '../../../core/name-order.ts';
import { middleName } from '../../../kit/middle-name.ts';
import { ownText } from '../../../kit/own-text.ts';
import type { ListedKey } from '../xml/list-page.ts';
import { isInside, type ListedPart } from './listed-part.ts';
import type { NameAlphabet, Scale } from './name-alphabet.ts';

/** How far ahead the first points of a listing are, in pages. */
const FIRST_DISTANCE = 4;

/** A part of which keys are known. */
type BegunPart = ListedPart & { readonly last: string };

/** A point about in the middle of what is left of a part, by the names between its ends. */
export function pointBetween(part: BegunPart, { codes }: NameAlphabet): string | undefined {
  const { first, recent, last, bound, probes, misses } = part;
  const seen = misses > 0 ? recent : bound === undefined ? first : undefined;
  return middleName(last, probes.at(-1) ?? bound, { seen, alphabet: codes });
}

/**
 * Points at which a part may be cut, the best first. They are chosen in three ways, each first in turn: as far ahead as
 * all that was listed, and at most half of what is left, if names are spread as in all parts; in the middle of the names
 * between its ends; and ahead as in the part itself. Names of one shape defeat one way: between `dir-000001/sub-000009`
 * and `dir-000002` lie a million names that do not occur.
 *
 * @param all what was listed in all parts
 */
export function pointsOf(part: BegunPart, all: Scale, alphabet: NameAlphabet): readonly string[] {
  const { first = '', last, bound, pages, left, probes, points } = part;
  const distance = Math.min(left / 2, Math.max(FIRST_DISTANCE, all.pages) * 2 ** probes.length);
  const ahead = (scale: Scale) => {
    const point = alphabet.ahead(scale, last, distance);
    return point !== undefined && isBetween(point, last, bound) ? point : undefined;
  };
  const ways = [ahead(all), pointBetween(part, alphabet), ahead({ first, last, pages })];
  const turn = points % ways.length;
  return [...ways.slice(turn), ...ways.slice(0, turn)].filter((point) => point !== undefined);
}

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
