import { compareNames } from '../../../core/name-order.ts';
import { middleName } from '../../../kit/middle-name.ts';
import type { ListedKey } from '../xml/list-page.ts';
import type { Position } from './list-query.ts';
import type { KeyPage } from './lister.ts';
import { NameAlphabet } from './name-alphabet.ts';

/** Pages read one after another before parts are looked for. */
const PAGES_BEFORE = 3;

/** Requests that may find nothing: this many at first, and one more for this many pages. */
const FIRST_MISSES = 24;
const PAGES_A_MISS = 10;

/** Failed requests for a new part, after which there is no other. */
const MOST_FAILED = 3;

/** Pages of a part since it was cut before it is cut again; nothing is gained from shorter ones. */
const PAGES_A_CUT = 2;

/** A part is cut if about this many pages of it are left; in an ordered listing, which has many short parts, more. */
const LEAST_LEFT = 2;
const LEAST_LEFT_IN_ORDER = 6;

/** Parallel requests that look for parts: of the only part, and of each of several. */
const PROBES_OF_ONE = 4;

/**
 * Ordered listings. Pages that wait for their turn: of all parts together, for each parallel request and at most, and of one
 * part, also if requests are not parallel. Parts are cut so far ahead, in pages, where that can be estimated.
 */
const HELD_A_REQUEST = 8;
const MOST_HELD = 64;
const HELD_OF_PART = 16;
const HELD_ALONE = 1;
const AHEAD = 32;

/** No more pages are expected of a part when those before another one are counted. */
const MOST_EXPECTED = 16;

/** How a range of keys is listed. */
export interface PartRules {
  /** Where it begins: absent, at the first key. */
  readonly from?: Position | undefined;
  /** Pages are given in the order of their keys. */
  readonly inOrder: boolean;
  /** The server lists keys in order, as far as is known: there may be more than one part. */
  readonly mayCut: boolean;
  /** Whether keys of a page come before `after` or one another; throws if they must not. */
  isBroken(page: KeyPage, after: string | undefined, mustBe: boolean): boolean;
}

/** A request, and what must be called with its result. */
export interface PartRequest {
  readonly position: Position | undefined;
  took(page: KeyPage): void;
  failed(error: unknown): void;
}

/** A range of keys that is listed from start to end. */
interface Part {
  first?: string | undefined;
  recent?: string | undefined;
  last?: string;
  /** The last place that belongs to it; absent: no end. */
  end?: string | undefined;
  /** Where a request found no key between here and the end. It only guides further ones: the listing itself goes on. */
  bound?: string | undefined;
  position: Position | undefined;
  isBusy: boolean;
  isDone: boolean;
  error?: unknown;
  /** Points that are being tried, each before the one tried earlier. */
  readonly probes: string[];
  pagesSinceCut: number;
  pages: number;
  misses: number;
  /** Estimated pages. */
  left: number;
  held: (readonly ListedKey[])[];
}

/**
 * The ranges into which a listing is split, as pure state. Every key belongs to exactly one, by the order of bytes: a
 * range is cut only beyond what was listed, at a point behind which a request found keys; keys that such a request
 * finds belong to the new range. A server that lists in another order gets one range; `bad-answer` if that shows too
 * late.
 */
export class ListedParts {
  readonly #rules: PartRules;
  readonly #alphabet = new NameAlphabet();
  /** In the order of their keys. */
  #parts: Part[];
  #pages = 0;
  #held = 0;
  #misses = 0;
  #failures = 0;
  #isCut = false;
  #maySplit: boolean;

  constructor(rules: PartRules) {
    this.#rules = rules;
    this.#maySplit = rules.mayCut;
    this.#parts = [newPart(rules.from)];
  }

  /** The next request, of up to `width` parallel ones; `undefined` if there is none now. */
  next(width: number): PartRequest | undefined {
    const most = Math.min(MOST_HELD, HELD_A_REQUEST * width);
    const ofPart = width === 1 ? HELD_ALONE : HELD_OF_PART;
    const near = this.#near(most);
    const waiting = near.find((part, at) => {
      if (part.isBusy || part.isDone || part.error !== undefined) return false;
      return part.held.length < ofPart && (at === 0 || this.#held < most);
    });
    if (waiting !== undefined) return this.#continuation(waiting);
    const isEnough = width > 1 && this.#pages >= PAGES_BEFORE && this.#held < most;
    if (!this.#maySplit || !isEnough) return undefined;
    if (this.#misses >= FIRST_MISSES + this.#pages / PAGES_A_MISS) return undefined;
    return this.#probe(near);
  }

  /** Keys of a page whose turn has come; `undefined` if there are none yet. Throws the error whose turn has come. */
  shift(): readonly ListedKey[] | undefined {
    const { inOrder } = this.#rules;
    for (const part of inOrder ? this.#parts.slice(0, 1) : this.#parts) {
      const keys = part.held.shift();
      if (keys !== undefined) {
        this.#held--;
        this.#dropDone();
        return keys;
      }
      if (part.error !== undefined) throw part.error;
    }
    return undefined;
  }

  /** Everything was listed and given. */
  get isOver(): boolean {
    return this.#parts.length === 0;
  }

  #continuation(part: Part): PartRequest {
    part.isBusy = true;
    return {
      position: part.position,
      took: (page) => {
        part.isBusy = false;
        withError(part, () => this.#take(part, page));
      },
      failed: (error) => {
        part.isBusy = false;
        part.error = error;
      },
    };
  }

  /** The parts whose turn comes within about this number of pages. */
  #near(pages: number): readonly Part[] {
    if (!this.#rules.inOrder) return this.#parts;
    let ahead = 0;
    return this.#parts.filter(({ isDone, held, left }) => {
      const isNear = ahead < pages;
      ahead += held.length + (isDone ? 0 : Math.min(left, MOST_EXPECTED));
      return isNear;
    });
  }

  #probe(near: readonly Part[]): PartRequest | undefined {
    for (const part of this.#candidates(near)) {
      const { probes } = part;
      const point = this.#rules.inOrder ? this.#pointAhead(part) : this.#pointBetween(part);
      part.pagesSinceCut = 0;
      if (point === undefined || probes.includes(point)) continue;
      probes.push(point);
      return {
        position: { after: point },
        took: (page) => withError(part, () => this.#split(part, point, page)),
        failed: () => {
          drop(probes, point);
          if (++this.#failures >= MOST_FAILED) this.#maySplit = false;
        },
      };
    }
    return undefined;
  }

  /** The parts that may be cut, in the order in which that should be tried. */
  #candidates(near: readonly Part[]): Part[] {
    const { inOrder } = this.#rules;
    const least = inOrder ? LEAST_LEFT_IN_ORDER : LEAST_LEFT;
    const found = near.filter((part) => {
      const { isDone, error, last, left, probes, pagesSinceCut } = part;
      if (isDone || error !== undefined || last === undefined) return false;
      if (left < least) return false;
      if (this.#parts.length === 1) return probes.length < PROBES_OF_ONE;
      return probes.length === 0 && pagesSinceCut >= PAGES_A_CUT;
    });
    if (inOrder) return found;
    return found.sort((one, other) => (one.left < other.left ? 1 : one.left > other.left ? -1 : 0));
  }

  /** A point about in the middle of what is left of a part. */
  #pointBetween({ first, recent, last = '', bound, probes, misses }: Part): string | undefined {
    const seen = misses > 0 ? recent : bound === undefined ? first : undefined;
    const alphabet = this.#alphabet.codes;
    return middleName(last, probes.at(-1) ?? bound, { seen, alphabet });
  }

  /** A point so far ahead that what lies before it can be held until its turn comes. */
  #pointAhead(part: Part): string | undefined {
    const { first, last, bound, left, probes } = part;
    if (first !== undefined && last !== undefined && bound !== undefined) {
      const share = ((probes.length + 1) * AHEAD) / left;
      const point = share < 0.5 ? this.#alphabet.point(first, last, bound, share) : undefined;
      if (point !== undefined) return point;
    }
    return this.#pointBetween(part);
  }

  /** Estimates how many pages are left of a part, as if its names were spread evenly. */
  #estimate(part: Part): void {
    const { first, last, bound, pages } = part;
    if (first === undefined || last === undefined || bound === undefined) return;
    part.left = pages * this.#alphabet.share(first, last, bound);
  }

  /** A page that starts after `point`: the first of a new part, or none if there is nothing. */
  #split(asked: Part, point: string, page: KeyPage): void {
    drop(asked.probes, point);
    const part = this.#parts.find((one) => isInside(point, one));
    const [begin] = page.keys;
    const { end, bound } = part ?? {};
    const isEmpty = begin === undefined || (end !== undefined && compareNames(begin.key, end) > 0);
    if (part === undefined || isEmpty) this.#misses++;
    if (part === undefined || !this.#maySplit) return;
    if (this.#rules.isBroken(page, point, this.#isCut)) {
      this.#maySplit = false;
      return;
    }
    if (isEmpty) {
      if (bound === undefined || compareNames(point, bound) < 0) part.bound = point;
      part.misses++;
      // The next point is nearer: no page has to pass for that.
      part.pagesSinceCut = PAGES_A_CUT;
      this.#estimate(part);
      return;
    }
    this.#isCut = true;
    Object.assign(part, { end: point, bound: point, misses: 0 });
    this.#estimate(part);
    const created = newPart(undefined);
    const isBefore = bound !== undefined && compareNames(begin.key, bound) < 0;
    Object.assign(created, { end, bound: isBefore ? bound : end });
    this.#parts.splice(this.#parts.indexOf(part) + 1, 0, created);
    this.#take(created, page);
  }

  #take(part: Part, page: KeyPage): void {
    this.#pages++;
    if (this.#rules.isBroken(page, part.last, this.#isCut)) this.#maySplit = false;
    const { end } = part;
    const all = page.keys;
    const last = all.at(-1)?.key;
    const reachesEnd = end !== undefined && last !== undefined && compareNames(last, end) >= 0;
    const keys = reachesEnd ? all.filter(({ key }) => compareNames(key, end) <= 0) : all;
    part.first ??= all[0]?.key;
    part.recent = all[0]?.key ?? part.recent;
    part.pages++;
    if (last !== undefined) part.last = last;
    part.position = page.next;
    part.isDone = reachesEnd || page.next === undefined;
    part.pagesSinceCut++;
    if (keys.length > 0) {
      part.held.push(keys);
      this.#held++;
    }
    if (this.#maySplit) {
      this.#alphabet.learn(all);
      this.#estimate(part);
    }
    this.#dropDone();
  }

  #dropDone(): void {
    this.#parts = this.#parts.filter(({ isDone, held }) => !isDone || held.length > 0);
  }
}

/** Whether the part has not reached `point` yet, and extends beyond it. */
function isInside(point: string, { isDone, last, end }: Part): boolean {
  if (isDone || last === undefined || compareNames(last, point) >= 0) return false;
  return end === undefined || compareNames(point, end) < 0;
}

/** What `work` throws is the error of the part. */
function withError(part: Part, work: () => void): void {
  try {
    work();
  } catch (thrown) {
    part.error = thrown;
  }
}

function drop(points: string[], point: string): void {
  const at = points.indexOf(point);
  if (at >= 0) points.splice(at, 1);
}

function newPart(position: Position | undefined): Part {
  return {
    ...{ position, isBusy: false, isDone: false },
    ...{
      probes: [],
      pagesSinceCut: 0,
      pages: 0,
      misses: 0,
      left: Number.POSITIVE_INFINITY,
      held: [],
    },
  };
}
