import { expect, test } from 'vitest';
import { catPart, catRange, lastPart } from '../../../../commands/cat/cat.ts';

const rangeOf = (flags: Parameters<typeof catPart>[0], size = 10) => catRange(catPart(flags), size);

test('the whole file without flags, and where they say nothing', () => {
  expect(rangeOf({})).toBeUndefined();
  expect(rangeOf({ head: 0 })).toBeUndefined();
  expect(rangeOf({ head: -1, tail: -2 })).toBeUndefined();
  expect(rangeOf({ count: -5 })).toBeUndefined();
});

test('head, tail, offset and count', () => {
  expect(rangeOf({ head: 3 })).toEqual({ offset: 0, length: 3 });
  expect(rangeOf({ tail: 3 })).toEqual({ offset: 7 });
  expect(rangeOf({ tail: 30 })).toBeUndefined();
  expect(rangeOf({ offset: 2, count: 3 })).toEqual({ offset: 2, length: 3 });
  expect(rangeOf({ offset: -3 })).toEqual({ offset: 7 });
  expect(rangeOf({ offset: -30, count: 2 })).toEqual({ offset: 0, length: 2 });
  expect(rangeOf({ offset: 30 }, -1)).toEqual({ offset: 30 });
  expect(rangeOf({ count: 5 })).toEqual({ offset: 0, length: 5 });
});

test('nothing is read behind the end of a file, nor for a count of 0; an empty file is opened', () => {
  expect(rangeOf({ offset: 10 })).toBe('nothing');
  expect(rangeOf({ offset: 30, count: 2 })).toBe('nothing');
  expect(rangeOf({ count: 0 })).toBe('nothing');
  expect(rangeOf({ head: 3 }, 0)).toBeUndefined();
  expect(rangeOf({ offset: 3 }, 0)).toBeUndefined();
});

test('contradictions', () => {
  for (const flags of [
    { head: 1, tail: 1 },
    { head: 1, offset: 1 },
    { tail: 1, count: 0 },
  ]) {
    expect(() => catPart(flags)).toThrow(
      'use only one of --head, --tail, and --offset with --count',
    );
  }
});

test.each([
  [{ tail: 3 }, '789'],
  [{ tail: 10 }, '0123456789'],
  [{ tail: 30 }, '0123456789'],
  [{ offset: -4, count: 2 }, '67'],
])('the end of a content of unknown size: %j', async (flags, wanted) => {
  expect(rangeOf(flags, -1)).toBeUndefined();
  for (const piece of [1, 4, 10]) {
    const chunks = async function* () {
      for (let at = 0; at < 10; at += piece) yield Buffer.from('0123456789'.slice(at, at + piece));
    };
    let text = '';
    for await (const chunk of lastPart(chunks(), catPart(flags))) text += chunk;
    expect(text).toBe(wanted);
  }
});

test('only the end of a large content of unknown size is kept', async () => {
  const chunks = async function* () {
    for (let n = 0; n < 100; n++) yield Buffer.alloc(100_000, n);
  };
  const last: Buffer[] = [];
  for await (const chunk of lastPart(chunks(), catPart({ tail: 150_000 }))) last.push(chunk);
  const wanted = Buffer.concat([Buffer.alloc(50_000, 98), Buffer.alloc(100_000, 99)]);
  expect(Buffer.concat(last).equals(wanted)).toBe(true);
});
