import { describe, expect, test } from 'vitest';
import type { FileEntry } from '../../../src/core/remote.ts';
import type { CheckBy } from '../../../src/engine/rules/check-rules.ts';
import type { HashComparison } from '../../../src/engine/rules/rule.ts';
import type { CompareOptions } from '../../../src/engine/sync-option-parts.ts';
import { checkedAs, judgedAs } from '../../support/judged.ts';

const both = { windowNs: 1n, hash: 'quickxor' } as const;

const file = (size: number, modTime?: bigint): FileEntry => ({
  kind: 'file',
  path: 'a.docx',
  size,
  ...(modTime === undefined ? {} : { modTime }),
});
const rewritten = (size: number, modTime: bigint): FileEntry => ({
  ...file(size, modTime),
  isRewritten: true,
});

describe('a file that its store has changed by itself', () => {
  test.each<[string, FileEntry, Partial<CompareOptions>, string, HashComparison?]>([
    ['same time', rewritten(9, 5n), {}, 'keep'],
    ['another time', rewritten(9, 6n), {}, 'transfer'],
    ['--size-only, same time', rewritten(9, 5n), { sizeOnly: true }, 'keep'],
    ['--size-only, another time', rewritten(9, 6n), { sizeOnly: true }, 'transfer'],
    ['--checksum, same size and time', rewritten(4, 5n), { checksum: true }, 'keep', 'differs'],
    ['--checksum, another time', rewritten(4, 6n), { checksum: true }, 'transfer', 'differs'],
    ['--ignore-times', rewritten(9, 5n), { ignoreTimes: true }, 'transfer'],
  ])('is compared by its time: %s', (_what, dest, options, action, hashes) => {
    const facts = { source: file(4, 5n), dest, ...(hashes === undefined ? {} : { hashes }) };
    expect(judgedAs(facts, options, both)).toBe(action);
  });

  test('has its time asked for where the listing does not tell it', () => {
    const facts = { source: file(4), dest: rewritten(9, 5n) };
    expect(judgedAs(facts, {}, both)).toBe('needs times');
    expect(checkedAs(facts, 'size', both)).toBe('needs times');
  });

  test.each<[CheckBy, bigint, string]>([
    ['size-and-time', 5n, 'equal without hash'],
    ['size-and-time', 6n, 'sizes and modification times differ'],
    ['size-and-hash', 5n, 'equal without hash'],
    ['size', 5n, 'equal without hash'],
    ['content', 5n, 'sizes differ'],
  ])('is told apart by check: by %s at %d', (by, time, verdict) => {
    const facts = { source: file(4, 5n), dest: rewritten(9, time) };
    expect(checkedAs(facts, by, both)).toBe(verdict);
  });
});
