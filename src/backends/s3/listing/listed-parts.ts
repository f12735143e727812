import { compareNames } from '../../../core/name-order.ts';
import type { Position } from './list-query.ts';
import type { KeyPage } from './lister.ts';
import { splitPoints } from './split-points.ts';

/** Pages read one after another before parts are looked for. */
const PAGES_BEFORE = 8;

/** Requests that look for parts: this many at first, and then one for this many pages. Most find keys, too. */
const FIRST_PROBES = 16;
const PAGES_A_PROBE = 4;

/** Parallel requests that look for parts: of the only part, and of each of several. */
const PROBES_OF_ONE = 8;
const PROBES_OF_MANY = 2;

/** A request and the function that takes its page and returns the keys of no other part. */
export interface PartRequest {
  readonly position: Position | undefined;
  take(page: KeyPage): KeyPage['keys'];
}

/** A range of keys that is listed from start to end. */
interface Part {
  first?: string;
  last?: string;
  /** The last place that belongs to it; absent: no end. */
  end?: string;
  position: Position | undefined;
  isBusy: boolean;
  isDone: boolean;
  probes: number;
  /** Texts already tried as split points. */
  readonly tried: Set<string>;
}

/** Whether keys of a page come before `after` or one another; throws if they must not. */
type OutOfOrder = (page: KeyPage, after: string | undefined, mustBe: boolean) => boolean;

/**
 * The ranges into which a listing is split. Every key belongs to exactly one, by the order of bytes: a range is cut
 * only beyond what was listed. A server that lists in another order gets one range; `bad-answer` if that shows too
 * late.
 */
export class ListedParts {
  readonly #prefix: string;
  readonly #outOfOrder: OutOfOrder;
  #parts: Part[] = [newPart({})];
  #pages = 0;
  #probes = 0;
  #isCut = false;
  #maySplit = true;

  constructor(prefix: string, outOfOrder: OutOfOrder) {
    this.#prefix = prefix;
    this.#outOfOrder = outOfOrder;
  }

  /** The next request, also of new parts if `maySplit`; `undefined` if there is none now. */
  next(maySplit: boolean): PartRequest | undefined {
    const waiting = this.#parts.find(({ isBusy, isDone }) => !isBusy && !isDone);
    if (waiting !== undefined) return this.#continuation(waiting);
    if (!maySplit || !this.#maySplit || this.#pages < PAGES_BEFORE) return undefined;
    if (this.#probes >= FIRST_PROBES + this.#pages / PAGES_A_PROBE) return undefined;
    return this.#probe();
  }

  #continuation(part: Part): PartRequest {
    part.isBusy = true;
    const { position } = part;
    const take = (page: KeyPage) => {
      part.isBusy = false;
      return this.#taken(part, page);
    };
    return { position, take };
  }

  #probe(): PartRequest | undefined {
    const most = this.#parts.length === 1 ? PROBES_OF_ONE : PROBES_OF_MANY;
    for (const part of this.#parts) {
      const { first, last, end, tried } = part;
      if (first === undefined || last === undefined || part.probes >= most) continue;
      const range = { prefix: this.#prefix, first, last, ...(end === undefined ? {} : { end }) };
      const point = splitPoints(range, most).find((text) => !tried.has(text));
      if (point === undefined) continue;
      tried.add(point);
      part.probes++;
      this.#probes++;
      // The part just used comes last in the next turn.
      this.#parts = [...this.#parts.filter((one) => one !== part), part];
      return { position: { after: point }, take: (page) => this.#split(part, point, page) };
    }
    return undefined;
  }

  /** A page that starts after `point`: the first of a new part, or the proof that there is none. */
  #split(part: Part, point: string, page: KeyPage): KeyPage['keys'] {
    part.probes--;
    if (!this.#maySplit) return [];
    const [begin] = page.keys;
    if (begin === undefined) {
      if (page.next === undefined) this.#nothingBehind(point);
      return [];
    }
    if (!isInside(point, part)) return [];
    if (this.#outOfOrder(page, point, this.#isCut)) {
      this.#maySplit = false;
      return [];
    }
    const { end } = part;
    part.end = point;
    this.#isCut = true;
    if (end !== undefined && compareNames(begin.key, end) > 0) return [];
    const created = newPart(end === undefined ? {} : { end });
    this.#parts.push(created);
    return this.#taken(created, page);
  }

  #nothingBehind(point: string): void {
    for (const part of this.#parts) {
      if (!isInside(point, part)) continue;
      part.end = point;
      this.#isCut = true;
    }
  }

  #taken(part: Part, page: KeyPage): KeyPage['keys'] {
    this.#pages++;
    if (this.#outOfOrder(page, part.last, this.#isCut)) this.#maySplit = false;
    const { end } = part;
    const all = page.keys;
    const last = all.at(-1)?.key;
    const reachesEnd = end !== undefined && last !== undefined && compareNames(last, end) >= 0;
    const keys = reachesEnd ? all.filter(({ key }) => compareNames(key, end) <= 0) : all;
    const first = part.first ?? all[0]?.key;
    if (first !== undefined) part.first = first;
    if (last !== undefined) part.last = last;
    part.position = page.next;
    part.isDone = reachesEnd || page.next === undefined;
    if (part.isDone) this.#parts = this.#parts.filter((one) => one !== part);
    return keys;
  }
}

/** Whether the part has not reached `point` yet, and extends beyond it. */
function isInside(point: string, { isDone, last, end }: Part): boolean {
  if (isDone || last === undefined || compareNames(last, point) >= 0) return false;
  return end === undefined || compareNames(point, end) < 0;
}

function newPart(range: { end?: string }): Part {
  return {
    ...range,
    position: undefined,
    isBusy: false,
    isDone: false,
    probes: 0,
    tried: new Set(),
  };
}
