import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KeyPage, Position } from '../../../../../src/backends/s3/listing/lister.ts';
import { ListedParts } from '../../../../../src/backends/s3/listing/listing-in-parts.ts';
import { compareNames } from '../../../../../src/core/name-order.ts';
import { randomFrom } from '../../../../support/random-from.ts';

/** A store of keys, a few to a page. */
interface Store {
  readonly keys: readonly string[];
  readonly pageSize: number;
  /** Begins every listing at the first key, whatever it is asked for. */
  readonly ignoresStart?: boolean;
  /** Says of every listing after a text that there is nothing. */
  readonly hidesRest?: boolean;
  /** Refuses every listing after a text. */
  readonly refusesStart?: boolean;
  /** How many keys fewer a page may have than it should. */
  readonly cutShort?: (random: number) => number;
}

/** The index of the first key behind a text. */
function behind(keys: readonly string[], after: string): number {
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareNames(keys[middle] ?? '', after) > 0) high = middle;
    else low = middle + 1;
  }
  return low;
}

function pageOf(store: Store, position: Position | undefined, turn: number): KeyPage {
  const { keys, pageSize, ignoresStart, hidesRest } = store;
  if (position !== undefined && 'after' in position && hidesRest) return { keys: [], prefixes: [] };
  let from = 0;
  if (position !== undefined && 'token' in position) from = behind(keys, position.token);
  else if (position !== undefined && 'after' in position && ignoresStart !== true) {
    from = behind(keys, position.after);
  }
  const next = from + Math.max(1, pageSize - (store.cutShort?.(turn) ?? 0));
  const listed = keys.slice(from, next).map((key) => ({ key, size: 1 }));
  const token = keys[next - 1] ?? '';
  return {
    keys: listed as unknown as KeyPage['keys'],
    prefixes: [],
    ...(next < keys.length ? { next: { token } } : {}),
  };
}

interface Reading {
  readonly width: number;
  readonly inOrder: boolean;
  /** Which of so many requests under way is answered next. */
  readonly pick: (count: number) => number;
  /** Called before each answer. */
  readonly onTurn?: (turn: number) => void;
}

/** Lists it all; `rounds` is the time, if every request takes one. */
function listAll(store: Store, { width, inOrder, pick, onTurn }: Reading) {
  const given: string[] = [];
  const count = { asked: 0, probes: 0, most: 0, turns: 0 };
  const isBroken = (page: KeyPage, after: string | undefined, mustBe: boolean) => {
    const all = [...(after === undefined ? [] : [after]), ...page.keys.map(({ key }) => key)];
    const isWrong = all.some((key, i) => i > 0 && compareNames(all[i - 1] ?? '', key) >= 0);
    if (isWrong && mustBe) throw new Error('not in order');
    return isWrong;
  };
  const parts = new ListedParts({ inOrder, mayCut: true, isBroken });
  const running: {
    request: NonNullable<ReturnType<ListedParts['next']>>;
    page: KeyPage;
    since: number;
  }[] = [];
  let now = 0;
  while (!parts.isOver) {
    while (running.length < width) {
      const request = parts.next(width);
      if (request === undefined) break;
      count.asked++;
      const { position } = request;
      if (position !== undefined && 'after' in position) count.probes++;
      running.push({ request, page: pageOf(store, position, count.asked), since: now });
    }
    count.most = Math.max(count.most, running.length);
    const [answered] = running.splice(pick(running.length), 1);
    if (answered === undefined) throw new Error('the listing has come to a halt');
    onTurn?.(count.turns++);
    now = Math.max(now, answered.since + 1);
    const { request, page } = answered;
    const isAfter = request.position !== undefined && 'after' in request.position;
    if (isAfter && store.refusesStart) request.failed(new Error('refused'));
    else request.took(page);
    for (let keys = parts.shift(); keys !== undefined; keys = parts.shift()) {
      given.push(...keys.map(({ key }) => key));
    }
  }
  return { given, rounds: now, ...count };
}

const oldest = () => 0;
const sorted = (keys: readonly string[]) => [...new Set(keys)].sort(compareNames);
const numbers = (count: number) =>
  Array.from({ length: count }, (_, i) => `flat/k${String(i).padStart(7, '0')}`);

const hexadecimal = (i: number) => (Math.imul(i, 2654435761) >>> 0).toString(16).padStart(8, '0');
const date = (i: number) => new Date(Date.UTC(2023, 0, 1) + i * 1_728_000).toISOString();
const WORDS = 'rosé,bread and butter,Ärger,naïve,zebra,apple,mañana,œuvre,photo,日本,x,über'.split(
  ',',
);
const random = randomFrom(7);
const word = () => WORDS[random(WORDS.length)];

const padded = (i: number, length: number) => String(i).padStart(length, '0');

/** 500 pages of each; and how many times the ideal a listing in order may take, with 8 requests and with 16. */
const SHAPES: readonly [string, number, number, (i: number) => string][] = [
  ['a sequence', 1.4, 1.6, (i) => `flat/obj-${padded(i, 9)}.bin`],
  ['hexadecimal names', 1.4, 1.6, (i) => `${hexadecimal(i)}-${i}`],
  ['two levels', 1.5, 1.7, (i) => `d${padded(Math.floor(i / 100), 6)}/f${padded(i % 100, 4)}`],
  [
    'nested directories',
    1.6,
    2,
    (i) =>
      `dir-${padded(Math.floor(i / 1000), 6)}/sub-${padded(Math.floor(i / 10) % 100, 6)}/file-${i % 10}`,
  ],
  ['photos', 1.5, 2.2, (i) => `${100 + Math.floor(i / 99)}CANON/IMG_${padded(i % 9999, 4)}.JPG`],
  [
    'a tree of dates',
    1.8,
    3,
    (i) => `logs/${date(i).slice(0, 10).replaceAll('-', '/')}/${date(i)}-${i}`,
  ],
  [
    'one giant prefix',
    1.6,
    2.3,
    (i) => (i % 50 === 0 ? `${i}` : `data/production/part-${hexadecimal(i)}`),
  ],
  ['words with accents', 2.6, 7, (i) => `${word()} ${word()}/${word()} ${word()} ${i}.txt`],
];

describe('parts of a listing', () => {
  test.each(SHAPES)('are found and listed at once: %s', (_, most8, most16, nameOf) => {
    const keys = sorted(Array.from({ length: 50_000 }, (__, i) => nameOf(i)));
    const store = { keys, pageSize: 100 };
    const ideal = 500 / 8;

    const any = listAll(store, { width: 8, inOrder: false, pick: oldest });
    expect(any.given.sort(compareNames)).toEqual(keys);
    expect(any.most).toBe(8);
    expect(any.rounds).toBeLessThan(1.35 * ideal);
    expect(any.asked).toBeLessThan(1.2 * 500);
    expect(any.probes).toBeLessThan(100);

    const wide = listAll(store, { width: 32, inOrder: false, pick: oldest });
    expect(wide.rounds).toBeLessThan((4.3 * 500) / 32);
    expect(wide.asked).toBeLessThan(1.5 * 500);

    for (const [width, most] of [
      [8, most8],
      [16, most16],
    ] as const) {
      const ordered = listAll(store, { width, inOrder: true, pick: oldest });
      expect(ordered.given).toEqual(keys);
      expect(ordered.rounds).toBeLessThan((most * 500) / width);
      expect(ordered.asked).toBeLessThan(1.3 * 500);
    }
  });

  const both = [false, true];

  test.each(both)('are not looked for in a listing of a few pages (in order: %s)', (inOrder) => {
    const how = { width: 10, inOrder, pick: oldest };
    expect(listAll({ keys: numbers(30), pageSize: 10 }, how)).toMatchObject({ asked: 3 });
  });

  test.each(both)('are given up where the store begins anew (in order: %s)', (inOrder) => {
    const store = { keys: numbers(500), pageSize: 10, ignoresStart: true };
    expect(listAll(store, { width: 10, inOrder, pick: oldest }).given).toEqual(store.keys);
  });

  test.each(both)('are given up where they are refused (in order: %s)', (inOrder) => {
    const store = { keys: numbers(500), pageSize: 10, refusesStart: true };
    const { given, probes } = listAll(store, { width: 10, inOrder, pick: oldest });
    expect(given).toEqual(store.keys);
    expect(probes).toBeLessThan(10);
  });

  test.each(both)('an empty answer ends no listing (in order: %s)', (inOrder) => {
    const store = { keys: numbers(500), pageSize: 10, hidesRest: true };
    const { given, probes } = listAll(store, { width: 10, inOrder, pick: oldest });
    expect(given).toEqual(store.keys);
    expect(probes).toBeGreaterThan(0);
    expect(probes).toBeLessThan(50);
  });

  test('are not looked for where the store has another order', () => {
    const keys = numbers(500).reverse();
    const store = { keys, pageSize: 500 };
    const { given, asked } = listAll(store, { width: 10, inOrder: false, pick: oldest });
    expect(given).toEqual(keys);
    expect(asked).toBe(1);
  });

  test('that turn out to be out of order are an error', () => {
    const keys = numbers(500);
    const swapped = [...keys.slice(0, 305), keys[306], keys[305], ...keys.slice(307)] as string[];
    const how = { width: 10, inOrder: false, pick: oldest };
    expect(() => listAll({ keys: swapped, pageSize: 10 }, how)).toThrow('not in order');
  });

  test('what waits for its turn is bounded: without a reader, the requests end', () => {
    const store = { keys: numbers(50_000), pageSize: 100 };
    const parts = new ListedParts({ inOrder: true, mayCut: true, isBroken: () => false });
    let pages = 0;
    for (let request = parts.next(8); request !== undefined; request = parts.next(8)) {
      request.took(pageOf(store, request.position, 0));
      pages++;
    }
    expect(pages).toBeLessThan(64 + 32);
  });

  test('the error of a part comes in its turn', () => {
    const parts = new ListedParts({ inOrder: true, mayCut: true, isBroken: () => false });
    parts.next(4)?.took(pageOf({ keys: numbers(50), pageSize: 10 }, undefined, 0));
    parts.next(4)?.failed(new Error('broken'));
    expect(parts.shift()).toHaveLength(10);
    expect(() => parts.shift()).toThrow('broken');
  });

  const character = fc.constantFrom(...'abz019/-._ ~A\x01\x7fßéﬀ\uffee'.split(''), '\u{1f600}');
  const name = fc.array(character, { maxLength: 6 }).map((all) => all.join('').toWellFormed());
  const names = fc.array(name, { minLength: 1, maxLength: 300, size: 'max' });
  const schedule = {
    pageSize: fc.integer({ min: 1, max: 5 }),
    width: fc.integer({ min: 1, max: 12 }),
    inOrder: fc.boolean(),
    isShort: fc.boolean(),
    picks: fc.array(fc.nat(20), { minLength: 1, maxLength: 40 }),
  };

  test('give every key once, as one listing does, whichever answer comes first', () => {
    const run = (found: string[], prefix: string, how: Scheduled) => {
      const keys = sorted(found.map((one) => `${prefix}${one}x`));
      const { given } = listAll(storeOf(keys, how), readingOf(how));
      expect(how.inOrder ? given : given.sort(compareNames)).toEqual(keys);
    };
    const prefixes = fc.constantFrom('', 'dir/', 'ü/');
    fc.assert(fc.property(names, prefixes, fc.record(schedule), run), { numRuns: 300 });
  });

  test('give what is there all the time once, whatever comes and goes', () => {
    const run = (stays: string[], moves: string[], how: Scheduled) => {
      const kept = sorted(stays.map((one) => `${one}x`));
      const moving = sorted(moves.map((one) => `${one}y`));
      const keys = sorted([...kept, ...moving.filter((_, i) => i % 2 === 0)]);
      const onTurn = (turn: number) => {
        const key = moving[turn];
        if (key === undefined) return;
        const at = behind(keys, key);
        if (keys[at - 1] === key) keys.splice(at - 1, 1);
        else keys.splice(at, 0, key);
      };
      const { given } = listAll(storeOf(keys, how), { ...readingOf(how), onTurn });
      expect(new Set(given).size).toBe(given.length);
      if (how.inOrder) expect(given).toEqual(sorted(given));
      expect(sorted(given.filter((key) => key.endsWith('x')))).toEqual(kept);
    };
    fc.assert(fc.property(names, names, fc.record(schedule), run), { numRuns: 200 });
  });
});

interface Scheduled {
  readonly pageSize: number;
  readonly width: number;
  readonly inOrder: boolean;
  readonly isShort: boolean;
  readonly picks: readonly number[];
}

function storeOf(keys: readonly string[], { pageSize, isShort }: Scheduled): Store {
  return { keys, pageSize, ...(isShort ? { cutShort: (turn) => turn % pageSize } : {}) };
}

function readingOf({ width, inOrder, picks }: Scheduled): Reading {
  let turn = 0;
  const pick = (count: number) => (picks[turn++ % picks.length] ?? 0) % Math.max(1, count);
  return { width, inOrder, pick };
}
