import { describe, expect, it, test } from 'vitest';
import {
  decideTwoWay,
  isAsMarked,
  type MarkRules,
  markOf,
  winnerOf,
} from '../../../../../commands/bisync/two-way/decide-two-way.ts';
import type { FileEntry } from '../../../../../src/core/remote.ts';

const file = (content: number, fields: Partial<FileEntry> = {}): FileEntry => ({
  kind: 'file',
  path: 'f',
  size: content,
  modTime: BigInt(content) * 1_000_000_000n,
  ...fields,
});
const rules: MarkRules = { size: true, modTime: true };
const LATER = 10n ** 18n;
const agreedOn = (content: number) => {
  const mark = markOf(file(content), LATER, rules);
  return { a: mark, b: mark };
};
const decide = (a?: number, b?: number, agreed?: number) => {
  const of = (content?: number) => (content === undefined ? undefined : file(content));
  const facts = { a: of(a), b: of(b), agreed: agreed === undefined ? undefined : agreedOn(agreed) };
  const { action, changes } = decideTwoWay(facts, { a: rules, b: rules });
  const side = 'to' in action ? ` to ${action.to}` : 'on' in action ? ` on ${action.on}` : '';
  return `${changes.a}/${changes.b}: ${action.do}${side}`;
};

// Every state of a path: now on both sides, and when they agreed. Equal numbers are equal files.
test.each<[number | undefined, number | undefined, number | undefined, string]>([
  [1, undefined, undefined, 'new/none: copy to b'],
  [undefined, 1, undefined, 'none/new: copy to a'],
  [1, 1, undefined, 'new/new: compare'],
  [1, 2, undefined, 'new/new: compare'],
  [undefined, undefined, 1, 'deleted/deleted: forget'],
  [1, 1, 1, 'none/none: nothing'],
  [2, 1, 1, 'changed/none: copy to b'],
  [1, 2, 1, 'none/changed: copy to a'],
  [2, 2, 1, 'changed/changed: compare'],
  [2, 3, 1, 'changed/changed: compare'],
  [undefined, 1, 1, 'deleted/none: delete on b'],
  [1, undefined, 1, 'none/deleted: delete on a'],
  [undefined, 2, 1, 'deleted/changed: copy to a'],
  [2, undefined, 1, 'changed/deleted: copy to b'],
])('a has %s, b has %s, agreed was %s: %s', (a, b, agreed, expected) => {
  expect(decide(a, b, agreed)).toBe(expected);
});

// As a power cut leaves a file whose content was not on the disk yet.
test.each<[number, number, string]>([
  [1, 1, 'none/changed: copy to b'],
  [2, 1, 'changed/changed: compare'],
  [1, 2, 'none/changed: copy to a'],
])('a has %s, b is empty with the time of %s: %s', (a, time, expected) => {
  const facts = { a: file(a), b: { ...file(time), size: 0 }, agreed: agreedOn(1) };
  const { action, changes } = decideTwoWay(facts, { a: rules, b: rules });
  const to = 'to' in action ? ` to ${action.to}` : '';
  expect(`${changes.a}/${changes.b}: ${action.do}${to}`).toBe(expected);
});

describe('a mark', () => {
  const later = { ...file(1), modTime: 2_000_000_000n };

  it('notices another time, size or tag', () => {
    const mark = markOf(file(1, { etag: 'x' }), LATER, rules);
    expect(isAsMarked(file(1, { etag: 'x' }), mark, rules)).toBe(true);
    expect(isAsMarked(file(1, { etag: 'y' }), mark, rules)).toBe(false);
    expect(isAsMarked({ ...later, etag: 'x' }, mark, rules)).toBe(false);
    expect(isAsMarked(file(2, { modTime: 10n ** 9n }), mark, rules)).toBe(false);
  });

  it('prefers the tag of the content to one that metadata change', () => {
    const mark = markOf(file(1, { etag: 'x', contentTag: 'c' }), LATER, rules);
    expect(isAsMarked(file(1, { etag: 'y', contentTag: 'c' }), mark, rules)).toBe(true);
  });

  it('of a file whose time a later write may have counts as changed', () => {
    const now = 5_000_000_000n;
    const young = markOf(file(1, { modTime: now - 1n }), now, rules);
    expect(young.isYoung).toBe(true);
    expect(isAsMarked(file(1, { modTime: now - 1n }), young, rules)).toBe(false);
    expect(markOf(file(1, { modTime: now - 30_000_000n }), now, rules).isYoung).toBeUndefined();
    expect(markOf(file(1, { modTime: now + 10n ** 9n }), now, rules).isYoung).toBe(true);
    // No clock gives it: without this, a file from the future would come back whenever it is deleted.
    expect(markOf(file(1, { modTime: now + 10n ** 12n }), now, rules).isYoung).toBeUndefined();
    // A tag tells contents apart in spite of equal times.
    expect(markOf(file(1, { modTime: now, etag: 'x' }), now, rules).isYoung).toBeUndefined();
  });

  it('with a hash heeds the time if that is compared, too', () => {
    const both: MarkRules = { size: true, modTime: true, hash: 'md5' };
    const mark = markOf(file(1, { hashes: { md5: 'aa' } }), LATER, both);
    expect(isAsMarked(file(1, { hashes: { md5: 'aa' } }), mark, both)).toBe(true);
    expect(isAsMarked({ ...later, hashes: { md5: 'aa' } }, mark, both)).toBe(false);
  });

  it('with a hash alone heeds nothing else', () => {
    const byHash: MarkRules = { size: false, modTime: false, hash: 'md5' };
    const mark = markOf(file(1, { hashes: { md5: 'aa' } }), LATER, byHash);
    expect(isAsMarked({ ...later, hashes: { md5: 'aa' } }, mark, byHash)).toBe(true);
    expect(isAsMarked({ ...later, hashes: { md5: 'bb' } }, mark, byHash)).toBe(false);
  });

  it('without the hash that is wanted compares size and time', () => {
    const byHash: MarkRules = { size: false, modTime: false, hash: 'md5' };
    const mark = markOf(file(1), LATER, byHash);
    expect(isAsMarked(file(1), mark, byHash)).toBe(true);
    expect(isAsMarked(later, mark, byHash)).toBe(false);
    expect(isAsMarked(file(1, { size: 2 }), mark, byHash)).toBe(false);
  });

  it('of a header, with whole seconds, equals the time of a listing', () => {
    const stored = (storedTime: bigint) => file(1, { etag: 'x', storedTime });
    const mark = markOf(stored(5_000_000_000n), LATER, rules);
    expect(isAsMarked(stored(5_700_000_000n), mark, rules)).toBe(true);
    expect(isAsMarked(stored(6_000_000_000n), mark, rules)).toBe(false);
    const exact = markOf(stored(5_600_000_000n), LATER, rules);
    expect(isAsMarked(stored(5_700_000_000n), exact, rules)).toBe(false);
  });

  it('of a failed write equals nothing', () => {
    expect(isAsMarked(file(1, { isWrong: true }), markOf(file(1), LATER, rules), rules)).toBe(
      false,
    );
  });
});

describe('the winner of a conflict', () => {
  test.each([
    ['newer', 'b'],
    ['older', 'a'],
    ['larger', 'b'],
    ['smaller', 'a'],
    ['path1', 'a'],
    ['path2', 'b'],
    ['none', undefined],
  ] as const)('%s: %s', (rule, side) => {
    expect(winnerOf(file(1), file(2), rule)).toBe(side);
  });

  it('is unknown where both are equal or one is unknown', () => {
    expect(winnerOf(file(1), file(1), 'newer')).toBeUndefined();
    expect(winnerOf(file(1), file(-1), 'larger')).toBeUndefined();
    const { modTime: _, ...timeless } = file(2);
    expect(winnerOf(file(1), timeless, 'newer')).toBeUndefined();
  });
});
