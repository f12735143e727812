import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { orderPage } from '../../../../src/backends/s3/listing/order-page.ts';
import { compareNames } from '../../../../src/core/name-order.ts';
import { parseEncoding, toStandardPath } from '../../../../src/names/name-encoding.ts';

const item = (storePlace: string, place = storePlace) => ({ place, storePlace });
const places = (items: readonly { place: string }[]) => items.map(({ place }) => place);

/** Runs pages through, as a listing does; gives everything in the order it came. */
function listAll(pages: { place: string; storePlace: string }[][]): string[] {
  const all: string[] = [];
  let held: readonly { place: string; storePlace: string }[] = [];
  for (const [index, page] of pages.entries()) {
    const ordered = orderPage(page, held, all.at(-1), index === pages.length - 1);
    all.push(...places(ordered.ready));
    held = ordered.held;
  }
  return all;
}

describe('orderPage', () => {
  it('merges keys and prefixes', () => {
    const page = [item('a'), item('a-b'), item('c'), item('a/'), item('b/')];
    const { ready, held } = orderPage(page, [], undefined, false);
    expect(places(ready)).toEqual(['a', 'a-b', 'a/', 'b/', 'c']);
    expect(held).toEqual([]);
  });

  it('holds back what belongs behind the page', () => {
    const all = listAll([
      [item('a\u0001', 'a␁'), item('ab'), item('az')],
      [item('b'), item('￿')],
    ]);
    expect(all).toEqual(['ab', 'az', 'a␁', 'b', '￿']);
  });

  it('holds back what a symbol on a later page belongs before', () => {
    const all = listAll([[item('a'), item('€1')], [item('€2')], [item('␊', '‛␊')], [item('日')]]);
    expect(all).toEqual(['a', '‛␊', '€1', '€2', '日']);
    const { ready, held } = orderPage([item('b'), item('日')], [item('€')], 'a', false);
    expect([places(ready), held]).toEqual([['b', '€', '日'], []]);
  });

  it('gives quoted bytes where the server lists them: behind other names, before what they may precede', () => {
    const byte = item('‛A1', '\udca1');
    expect(listAll([[item('é')], [byte], [item('…')]])).toEqual(['é', '\udca1', '…']);
    expect(listAll([[item('‛ b')], [byte], [item('‛‛')], [item('日')]])).toEqual([
      '\udca1',
      '‛ b',
      '‛‛',
      '日',
    ]);
  });

  it('throws where a page belongs before the last one', () => {
    expect(() => orderPage([item('a')], [], 'b', false)).toThrow(/does not list in order/);
    expect(() => orderPage([item('b')], [], 'b', false)).toThrow(/does not list in order/);
    expect(() => orderPage([item('b/')], [], 'b/', false)).not.toThrow();
  });

  it('throws where a key stands twice', () => {
    const twice = [item('a'), item('b'), item('a')];
    expect(() => orderPage(twice, [], undefined, true)).toThrow('the server lists a twice');
    expect(() => orderPage([item('a/'), item('a/')], [], undefined, true)).not.toThrow();
  });

  it('gives all pages together in order, whatever the page size', () => {
    const encoding = parseEncoding('Slash,InvalidUtf8,Dot');
    const shown = (name: string) => toStandardPath(encoding, name);
    const bytes = ['‛A1', '‛C3', '‛FF', '‛E2', '‛80', '‛9B'];
    const symbols = [...bytes, '‛', '“', '…', '€', '␀', '␊', '␡', '␢', '日'];
    const unit = fc.constantFrom(
      'a',
      'b',
      '/',
      '\u0001',
      '\u007f',
      '~',
      'é',
      '😀',
      '￿',
      ...symbols,
    );
    const names = fc.uniqueArray(fc.string({ unit, minLength: 1, maxLength: 5 }));
    fc.assert(
      fc.property(names, fc.integer({ min: 1, max: 4 }), (raw, size) => {
        const sorted = raw.toSorted(compareNames).map((name) => item(name, shown(name)));
        const pages = [];
        for (let at = 0; at < sorted.length; at += size) pages.push(sorted.slice(at, at + size));
        expect(listAll(pages)).toEqual(raw.map(shown).toSorted(compareNames));
      }),
      { numRuns: 2000 },
    );
  });
});
