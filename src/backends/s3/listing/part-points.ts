import { isBetween } from '../../../core/name-order.ts';
import { middleName } from '../../../kit/middle-name.ts';
import type { ListedPart } from './listed-part.ts';
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
