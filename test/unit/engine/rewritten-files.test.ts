import { describe, expect, test } from 'vitest';
import type { FileEntry } from '../../../src/core/remote.ts';
import { type CheckBy, decideCheck } from '../../../src/engine/check.ts';
import type { HashAnswer } from '../../../src/engine/rules/rule.ts';
import type { CompareOptions } from '../../../src/engine/sync-option-parts.ts';
import { judgedAs } from '../../support/judged.ts';

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
  test.each<[string, FileEntry, Partial<CompareOptions>, string, HashAnswer?]>([
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
    expect(decideCheck(facts, 'size', both)).toEqual({ needs: 'times' });
  });

  test.each<[CheckBy, bigint, object]>([
    ['size-and-time', 5n, { verdict: 'match', withoutHash: true }],
    ['size-and-time', 6n, { verdict: 'differ' }],
    ['size-and-hash', 5n, { verdict: 'match', withoutHash: true }],
    ['size', 5n, { verdict: 'match', withoutHash: true }],
    ['content', 5n, { verdict: 'differ', reason: 'sizes differ' }],
  ])('is told apart by check: by %s at %d', (by, time, verdict) => {
    const facts = { source: file(4, 5n), dest: rewritten(9, time) };
    expect(decideCheck(facts, by, both)).toMatchObject(verdict);
  });
});
