import { linkedAbort } from '../../../core/context.ts';
import { compareNames, isBetween } from '../../../core/name-order.ts';
import { ownText } from '../../../core/own-text.ts';
import type { Op } from '../../../core/remote.ts';
import { middleName } from '../../../names/middle-name.ts';
import type { S3Store } from '../store.ts';
import type { ListedKey } from '../xml/read-answer.ts';
import { KeyOrder, type KeyPage, type KeysAhead, type Position } from './lister.ts';
import { NameAlphabet, type Scale } from './name-alphabet.ts';

/** Parallel requests: each holds a page in memory, and in order some that wait for their turn. */
const MOST_AT_ONCE = 32;
const MOST_AT_ONCE_IN_ORDER = 16;
/** Shorter round trips are mostly processing, here or on the server: more requests would only add to it. */
const SLOW_MS = 8;
/** With short round trips: one request is under way while the answer to another is read. */
const AT_ONCE_NEARBY = 2;
/** In order, pages would wait for their turn, and what lives longer costs more. */
const AT_ONCE_NEARBY_IN_ORDER = 1;

/** What is listed in parts. */
interface Listed {
  readonly bucket: string;
  readonly prefix: string;
  /** Where it begins; absent: at the first key. */
  readonly from?: Position | undefined;
  readonly inOrder: boolean;
  /** Most parallel requests. */
  readonly atOnce: number;
}

/** A listing of all keys below a prefix with several requests at the same time. */
export class ListingInParts implements KeysAhead {
  readonly #store: S3Store;
  readonly #listed: Listed;
  readonly #parts: ListedParts;
  readonly #ending: AbortController;
  readonly #op: Op;
  #running = 0;
  #fastest = Number.POSITIVE_INFINITY;
  #wake = Promise.withResolvers<void>();

  constructor(store: S3Store, listed: Listed, op: Op) {
    const { bucket, from, inOrder } = listed;
    const order = new KeyOrder(bucket);
    const hasOrder = !store.settings.directoryBucket;
    this.#store = store;
    this.#listed = listed;
    this.#parts = new ListedParts({
      from,
      inOrder,
      mayCut: hasOrder,
      isBroken: (page, after, mustBe) => hasOrder && order.isBroken(page, after, mustBe),
    });
    this.#ending = linkedAbort(op.signal);
    this.#op = { ...op, signal: this.#ending.signal };
  }

  async next(): Promise<readonly ListedKey[] | undefined> {
    for (;;) {
      this.#begin();
      const keys = this.#parts.shift();
      if (keys !== undefined) {
        this.#begin();
        return keys;
      }
      if (this.#parts.isOver) return undefined;
      await this.#wake.promise;
    }
  }

  get isOver(): boolean {
    return this.#parts.isOver;
  }

  end(): void {
    this.#ending.abort();
  }

  #begin(): void {
    const { bucket, prefix, atOnce, inOrder } = this.#listed;
    const { lister, client } = this.#store;
    const { clock } = client.context;
    const [nearby, far] = inOrder
      ? [AT_ONCE_NEARBY_IN_ORDER, MOST_AT_ONCE_IN_ORDER]
      : [AT_ONCE_NEARBY, MOST_AT_ONCE];
    const width = Math.max(1, Math.min(atOnce, this.#fastest < SLOW_MS ? nearby : far));
    while (this.#running < width) {
      const request = this.#parts.next(width);
      if (request === undefined) return;
      const { position, took, failed } = request;
      const since = clock.monotonic();
      const use = (page: KeyPage) => {
        this.#fastest = Math.min(this.#fastest, clock.monotonic() - since);
        took(page);
      };
      this.#running++;
      const asked = lister.read({ bucket, prefix, byDirectory: false, position }, this.#op, use);
      void asked.catch(failed).finally(() => {
        this.#running--;
        this.#wake.resolve();
        this.#wake = Promise.withResolvers();
      });
    }
  }
}

/** Pages read one after another before parts are looked for. */
const PAGES_BEFORE = 3;
/** Requests that may find nothing: this many at first, and one more for this many pages. */
const FIRST_MISSES = 24;
const PAGES_A_MISS = 5;
/** Failed requests for a new part, after which there is no other. */
const MOST_FAILED = 3;
/** Pages of a part since it was cut before it is cut again; nothing is gained from shorter ones. */
const PAGES_A_CUT = 2;
/** A part is cut if about this many pages of it are left; in an ordered listing, which has many short parts, more. */
const LEAST_LEFT = 2;
const LEAST_LEFT_IN_ORDER = 6;
/** Parallel requests that look for parts: of the only part, and of each of several. */
const PROBES_OF_ONE = 4;
/** Pages that wait for the reader: for each request and at most, and of one part, also if requests are not parallel. */
const HELD_A_REQUEST = 8;
const MOST_HELD = 64;
const HELD_OF_PART = 16;
const HELD_ALONE = 1;
/** How far ahead an ordered listing is requested, in estimated pages for each parallel request. */
const AHEAD = 6;
/** The parts of an ordered listing, in estimated pages: the usual length, and the least. */
const PIECE = 4;
const LEAST_PIECE = 2;
/** How many pages given last show how names are spread. */
const SCALE = 16;
/** How far ahead the first points of a listing are, in pages. */
const FIRST_DISTANCE = 4;

/** How a range of keys is listed. */
interface PartRules {
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
interface PartRequest {
  readonly position: Position | undefined;
  took(page: KeyPage): void;
  failed(error: unknown): void;
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
  #parts: ListedPart[];
  /** Of an ordered listing, the first keys of the pages given last: they show how names are spread. */
  readonly #given: string[] = [];
  /** The guessed points that are being tried. */
  readonly #tried = new Set<string>();
  /** How many may be at the same time: one more after each that was right, half as many after a miss. */
  #mostTried = 1;
  /** The first key that was listed. */
  #first: string | undefined;
  #pages = 0;
  #held = 0;
  #misses = 0;
  #failures = 0;
  #isCut = false;
  #maySplit: boolean;

  constructor(rules: PartRules) {
    this.#rules = rules;
    this.#maySplit = rules.mayCut;
    this.#parts = [new ListedPart(rules.from)];
  }

  /** The next request, of up to `width` parallel ones; `undefined` if there is none now. */
  next(width: number): PartRequest | undefined {
    const isEnough = width > 1 && this.#pages >= PAGES_BEFORE;
    const isAllowed = this.#misses < FIRST_MISSES + this.#pages / PAGES_A_MISS;
    const mayHold = this.#held < Math.min(MOST_HELD, HELD_A_REQUEST * width);
    const mayProbe = this.#maySplit && isEnough && isAllowed && mayHold;
    const ofPart = width === 1 ? HELD_ALONE : HELD_OF_PART;
    const isWaiting = (part: ListedPart, at: number) => {
      if (part.isBusy || part.isDone || part.error !== undefined) return false;
      return part.held.length < ofPart && (at === 0 || mayHold);
    };
    if (!this.#rules.inOrder) {
      const waiting = this.#parts.find(isWaiting);
      if (waiting !== undefined) return this.#continuation(waiting);
      return mayProbe ? this.#probeLongest() : undefined;
    }
    // What brings the reader's next keys, up to this many pages ahead.
    let pages = width * AHEAD;
    for (const [at, part] of this.#parts.entries()) {
      if (isWaiting(part, at)) return this.#continuation(part);
      pages -= part.held.length;
      const request = mayProbe ? this.#probeInTurn(part, pages) : undefined;
      if (request !== undefined) return request;
      if (!part.isDone) pages -= part.left;
      if (pages <= 0) return undefined;
    }
    return undefined;
  }

  /** Keys of a page whose turn has come; `undefined` if there are none yet. Throws the error whose turn has come. */
  shift(): readonly ListedKey[] | undefined {
    const { inOrder } = this.#rules;
    for (const part of inOrder ? this.#parts.slice(0, 1) : this.#parts) {
      const keys = part.held.shift();
      if (keys !== undefined) {
        this.#held--;
        if (inOrder && keys[0] !== undefined) {
          this.#given.push(ownText(keys[0].key));
          if (this.#given.length > SCALE) this.#given.shift();
        }
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

  #continuation(part: ListedPart): PartRequest {
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

  /** A request behind `point`, unless there is one already. */
  #probe(part: ListedPart, point: string | undefined, isGuess = false): PartRequest | undefined {
    if (point === undefined || this.#parts.some((one) => one.probes.includes(point))) {
      return undefined;
    }
    part.probes.push(point);
    if (isGuess) this.#tried.add(point);
    return {
      position: { after: point },
      took: (page) => withError(part, () => this.#split(part, point, page)),
      failed: () => {
        this.#endProbe(part, point, true);
        if (++this.#failures >= MOST_FAILED) this.#maySplit = false;
      },
    };
  }

  #endProbe({ probes }: ListedPart, point: string, isMiss: boolean): void {
    const at = probes.indexOf(point);
    if (at >= 0) probes.splice(at, 1);
    if (!this.#tried.delete(point)) return;
    this.#mostTried = isMiss ? Math.max(1, this.#mostTried >> 1) : this.#mostTried + 1;
  }

  /** Looks for a new part where most is left. */
  #probeLongest(): PartRequest | undefined {
    const candidates = this.#parts.filter(isUnderWay).filter((part) => {
      if (part.left < LEAST_LEFT) return false;
      if (this.#parts.length === 1) return part.probes.length < PROBES_OF_ONE;
      return part.probes.length === 0 && part.pagesSinceCut >= PAGES_A_CUT;
    });
    candidates.sort((one, other) => (one.left < other.left ? 1 : one.left > other.left ? -1 : 0));
    for (const part of candidates) {
      part.pagesSinceCut = 0;
      for (const point of this.#pointsOf(part)) {
        const request = this.#probe(part, point);
        if (request === undefined) continue;
        part.points++;
        return request;
      }
    }
    return undefined;
  }

  /**
   * Points at which a part may be cut, the best first. They are chosen in three ways, each first in turn: as far ahead
   * as all that was listed, and at most half of what is left, if names are spread as in all parts; in the middle of the
   * names between its ends; and ahead as in the part itself. Names of one shape defeat one way: between
   * `dir-000001/sub-000009` and `dir-000002` lie a million names that do not occur.
   */
  #pointsOf(part: BegunPart): readonly (string | undefined)[] {
    const { first = '', last, bound, pages, left, probes, points } = part;
    const all = this.#scaleOfAll();
    const distance = Math.min(left / 2, Math.max(FIRST_DISTANCE, all.pages) * 2 ** probes.length);
    const ahead = (scale: Scale) => {
      const point = this.#alphabet.ahead(scale, last, distance);
      return point !== undefined && isBetween(point, last, bound) ? point : undefined;
    };
    const ways = [ahead(all), this.#pointBetween(part), ahead({ first, last, pages })];
    const turn = points % ways.length;
    return [...ways.slice(turn), ...ways.slice(0, turn)];
  }

  /** A point about in the middle of what is left of a part, by the names between its ends. */
  #pointBetween({ first, recent, last, bound, probes, misses }: BegunPart): string | undefined {
    const seen = misses > 0 ? recent : bound === undefined ? first : undefined;
    return middleName(last, probes.at(-1) ?? bound, { seen, alphabet: this.#alphabet.codes });
  }

  /** Looks for a new part within this many pages: by a guess, or in the middle of what is left. */
  #probeInTurn(part: ListedPart, within: number): PartRequest | undefined {
    if (!isUnderWay(part)) return undefined;
    const guess = this.#probe(part, this.#guess(part, within), true);
    if (guess !== undefined || part.left < LEAST_LEFT_IN_ORDER) return guess;
    const isOnly = this.#parts.length === 1;
    if (part.probes.length >= (isOnly ? PROBES_OF_ONE : 1) || part.pagesSinceCut === 0)
      return undefined;
    if (!isOnly) part.pagesSinceCut = 0;
    return this.#probe(part, this.#pointBetween(part));
  }

  /** Where a part may be cut: a few pages behind the points that are being tried, and at most `within` pages ahead. */
  #guess(part: BegunPart, within: number): string | undefined {
    const scale = this.#scaleGiven;
    if (scale === undefined || this.#tried.size >= this.#mostTried) return undefined;
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

  /** How names are spread on the pages given last; `undefined` if too few were given. */
  get #scaleGiven(): Scale | undefined {
    const [first = '', , ...others] = this.#given;
    const last = others.at(-1);
    return last === undefined ? undefined : { first, last, pages: others.length + 1 };
  }

  /** How names are spread from the first key on, with the pages that are believed to be missing in between. */
  #scaleOfAll(): Scale {
    let pages = this.#pages;
    let last = '';
    for (const part of this.#parts) {
      if (part.end !== undefined && !part.isDone && Number.isFinite(part.left)) pages += part.left;
      last = part.last ?? last;
    }
    return { first: this.#first ?? '', last, pages };
  }

  /** Estimates how many pages are left of a part, as if names were spread evenly. */
  #estimate(part: ListedPart): void {
    const { first, recent, last, bound, pages } = part;
    if (first === undefined || recent === undefined || last === undefined) return;
    if (bound === undefined) return;
    const left = (scale: Scale) => this.#alphabet.pagesBetween(scale, last, bound);
    const given = this.#scaleGiven;
    part.left = left(given ?? { first, last, pages });
    if (!this.#rules.inOrder && part.left === Number.POSITIVE_INFINITY)
      part.left = left(this.#scaleOfAll());
    // What was listed may be spread more widely than what follows.
    if (given === undefined && part.left < LEAST_LEFT)
      part.left = left({ first: recent, last, pages: 1 });
  }

  /** A page that starts after `point`: the first of a new part, or none if there is nothing. */
  #split(asked: ListedPart, point: string, page: KeyPage): void {
    const part = this.#parts.find((one) => isInside(point, one));
    const [begin] = page.keys;
    const { end, bound } = part ?? {};
    const isEmpty = begin === undefined || (end !== undefined && compareNames(begin.key, end) > 0);
    const isMiss = part === undefined || isEmpty;
    if (isMiss) this.#misses++;
    this.#endProbe(asked, point, isMiss);
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
    const created = new ListedPart(undefined);
    const isBefore = bound !== undefined && compareNames(begin.key, bound) < 0;
    Object.assign(created, { end, bound: isBefore ? bound : end });
    this.#parts.splice(this.#parts.indexOf(part) + 1, 0, created);
    this.#take(created, page);
  }

  #take(part: ListedPart, page: KeyPage): void {
    this.#pages++;
    if (this.#rules.isBroken(page, part.last, this.#isCut)) this.#maySplit = false;
    const { end } = part;
    const all = page.keys;
    const last = all.at(-1)?.key;
    const reachesEnd = end !== undefined && last !== undefined && compareNames(last, end) >= 0;
    const keys = reachesEnd ? all.filter(({ key }) => compareNames(key, end) <= 0) : all;
    if (all[0] !== undefined) part.recent = ownText(all[0].key);
    part.first ??= part.recent;
    this.#first ??= part.recent;
    part.pages++;
    if (last !== undefined) part.last = ownText(last);
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

/** What `work` throws is the error of the part. */
function withError(part: ListedPart, work: () => void): void {
  try {
    work();
  } catch (thrown) {
    part.error = thrown;
  }
}

/** A range of keys that is listed from start to end. */
class ListedPart {
  position: Position | undefined;
  first?: string | undefined;
  recent?: string;
  last?: string;
  /** The last place that belongs to it; absent: no end. */
  end?: string;
  /** Where a request found no key between here and the end. It only guides further ones: the listing itself goes on. */
  bound?: string;
  isBusy = false;
  isDone = false;
  error?: unknown;
  /** Points that are being tried, each before the one tried earlier. */
  readonly probes: string[] = [];
  /** How many were tried. */
  points = 0;
  pagesSinceCut = 0;
  pages = 0;
  misses = 0;
  /** Estimated pages. */
  left = Number.POSITIVE_INFINITY;
  readonly held: (readonly ListedKey[])[] = [];

  constructor(position: Position | undefined) {
    this.position = position;
  }
}

/** A part of which keys are known. */
type BegunPart = ListedPart & { readonly last: string };

/** Whether a part has begun and not ended. */
function isUnderWay(part: ListedPart): part is BegunPart {
  return !part.isDone && part.error === undefined && part.last !== undefined;
}

/** Whether the part has not reached `point` yet, and extends beyond it. */
function isInside(point: string, { isDone, last, end }: ListedPart): boolean {
  if (isDone || last === undefined || compareNames(last, point) >= 0) return false;
  return end === undefined || compareNames(point, end) < 0;
}
