import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Position } from '../../../../../src/backends/s3/listing/list-query.ts';
import {
  ListedParts,
  type PartRequest,
} from '../../../../../src/backends/s3/listing/listed-parts.ts';
import type { KeyPage } from '../../../../../src/backends/s3/listing/lister.ts';
import { compareNames } from '../../../../../src/core/name-order.ts';

/** A store of keys, a few to a page. */
interface Store {
  readonly keys: readonly string[];
  readonly pageSize: number;
  /** Begins every listing at the first key, whatever it is asked for. */
  readonly ignoresStart?: boolean;
}

function pageOf({ keys, pageSize, ignoresStart }: Store, position: Position | undefined): KeyPage {
  let from = 0;
  if (position !== undefined && 'token' in position) from = Number(position.token);
  else if (position !== undefined && 'after' in position && ignoresStart !== true) {
    const { after } = position;
    from = keys.findIndex((key) => compareNames(key, after) > 0);
    if (from < 0) from = keys.length;
  }
  const listed = keys.slice(from, from + pageSize).map((key) => ({ key, size: 1 }));
  const next = from + pageSize;
  return {
    keys: listed as unknown as KeyPage['keys'],
    prefixes: [],
    ...(next < keys.length ? { next: { token: String(next) } } : {}),
  };
}

/** Lists it all, `width` requests at once; `pick` says which of those under way is answered next. */
function listAll(store: Store, width: number, pick: (count: number) => number, prefix = '') {
  const given: string[] = [];
  let asked = 0;
  let most = 0;
  const parts = new ListedParts(prefix, (page, after, mustBe) => {
    const all = [...(after === undefined ? [] : [after]), ...page.keys.map(({ key }) => key)];
    const isWrong = all.some((key, i) => i > 0 && compareNames(all[i - 1] ?? '', key) >= 0);
    if (isWrong && mustBe) throw new Error('not in order');
    return isWrong;
  });
  const running: { take: PartRequest['take']; page: KeyPage }[] = [];
  for (;;) {
    while (running.length < width) {
      const request = parts.next(true);
      if (request === undefined) break;
      asked++;
      running.push({ take: request.take, page: pageOf(store, request.position) });
    }
    most = Math.max(most, running.length);
    const [answered] = running.splice(pick(running.length), 1);
    if (answered === undefined) return { given, asked, most };
    given.push(...answered.take(answered.page).map(({ key }) => key));
  }
}

const oldest = () => 0;
const sorted = (keys: readonly string[]) => [...new Set(keys)].sort(compareNames);
const numbers = (count: number) =>
  Array.from({ length: count }, (_, i) => `flat/k${String(i).padStart(7, '0')}`);

describe('parts of a listing', () => {
  test.each([
    ['numbers', numbers(5000), 'flat/'],
    ['directories', numbers(5000).map((key, i) => `${i % 7}-dir/${key}`), ''],
    ['hexadecimal', numbers(5000).map((_, i) => ((i * 2654435761) >>> 0).toString(16)), ''],
    ['a long beginning', numbers(5000).map((key) => `${'x/'.repeat(30)}${key}`), ''],
  ])('are found and listed at once: %s', (_, keys, prefix) => {
    const { given, asked, most } = listAll(
      { keys: sorted(keys), pageSize: 10 },
      10,
      oldest,
      prefix,
    );
    expect(given.sort(compareNames)).toEqual(sorted(keys));
    expect(most).toBe(10);
    expect(asked).toBeLessThan(1.5 * 500);
  });

  test('are not looked for in a listing of a few pages', () => {
    expect(listAll({ keys: numbers(80), pageSize: 10 }, 10, oldest)).toMatchObject({ asked: 8 });
  });

  test('are given up where the store begins anew, and nothing is lost or told twice', () => {
    const store = { keys: numbers(500), pageSize: 10, ignoresStart: true };
    expect(listAll(store, 10, oldest).given).toEqual(store.keys);
  });

  test('are not looked for where the store has another order', () => {
    const keys = numbers(500).reverse();
    const { given, asked } = listAll({ keys, pageSize: 10 }, 10, oldest);
    expect(given).toEqual(keys);
    expect(asked).toBe(50);
  });

  test('that turn out to be out of order are an error', () => {
    const keys = numbers(500);
    keys.push(...keys.splice(300, 20));
    expect(() => listAll({ keys, pageSize: 10 }, 10, oldest)).toThrow('not in order');
  });

  test('give every key once, whatever the keys, and whichever answer comes first', () => {
    const character = fc.constantFrom(
      ...'abz019/-._ ~A\x01\x7fßéﬀ\ud83d\ude00'.split(''),
      '\u{1f600}',
    );
    const name = fc.array(character, { maxLength: 6 }).map((all) => all.join('').toWellFormed());
    const run = (
      names: readonly string[],
      prefix: string,
      pageSize: number,
      width: number,
      picks: readonly number[],
    ) => {
      const keys = sorted(names.map((one) => `${prefix}${one}x`));
      let turn = 0;
      const pick = (count: number) => (picks[turn++ % picks.length] ?? 0) % Math.max(1, count);
      const { given } = listAll({ keys, pageSize }, width, pick, prefix);
      expect(given.sort(compareNames)).toEqual(keys);
    };
    fc.assert(
      fc.property(
        fc.array(name, { minLength: 1, maxLength: 300, size: 'max' }),
        fc.constantFrom('', 'dir/', 'ü/'),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 12 }),
        fc.array(fc.nat(20), { minLength: 1, maxLength: 40 }),
        run,
      ),
      { numRuns: 150 },
    );
  });
});
