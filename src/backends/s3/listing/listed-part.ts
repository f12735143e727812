import { compareNames } from '../../../core/name-order.ts';
import type { ListedKey } from '../xml/list-page.ts';
import type { Position } from './list-query.ts';

/** A range of keys that is listed from start to end. */
export interface ListedPart {
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
  /** How many were tried. */
  points: number;
  pagesSinceCut: number;
  pages: number;
  misses: number;
  /** Estimated pages. */
  left: number;
  held: (readonly ListedKey[])[];
}

/** A part that begins at a position; absent: at the first key. */
export function newPart(position: Position | undefined): ListedPart {
  return {
    position,
    isBusy: false,
    isDone: false,
    probes: [],
    points: 0,
    pagesSinceCut: 0,
    pages: 0,
    misses: 0,
    left: Number.POSITIVE_INFINITY,
    held: [],
  };
}

/** Whether a part has begun and not ended. */
export function isUnderWay(part: ListedPart): part is ListedPart & { readonly last: string } {
  return !part.isDone && part.error === undefined && part.last !== undefined;
}

/** Whether the part has not reached `point` yet, and extends beyond it. */
export function isInside(point: string, { isDone, last, end }: ListedPart): boolean {
  if (isDone || last === undefined || compareNames(last, point) >= 0) return false;
  return end === undefined || compareNames(point, end) < 0;
}
