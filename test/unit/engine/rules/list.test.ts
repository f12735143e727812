import { describe, expect, test } from 'vitest';
import type { Reason } from '../../../../src/core/reason.ts';
import type { FileEntry } from '../../../../src/core/remote.ts';
import { RULE_FLAGS } from '../../../../src/engine/rules/flags.ts';
import { RULES } from '../../../../src/engine/rules/list.ts';
import type { HashComparison } from '../../../../src/engine/rules/rule.ts';
import type { CompareOptions } from '../../../../src/engine/sync-option-parts.ts';
import { messageOf } from '../../../../src/shell/log/words.ts';
import { judged, judgedAs } from '../../../support/judged.ts';

const file = (size: number, modTime?: bigint, storedTime?: bigint): FileEntry => ({
  kind: 'file',
  path: 'f',
  size,
  ...(modTime === undefined ? {} : { modTime }),
  ...(storedTime === undefined ? {} : { storedTime }),
});

const of = (md5: string): FileEntry => ({ ...file(1, 5n), hashes: { md5 } });

type Case = readonly [
  what: string,
  source: FileEntry,
  dest: FileEntry,
  options: Partial<CompareOptions>,
  expected: string,
  hashes?: HashComparison,
];

const moved = { checksum: true, deletesSource: true };

const both = { windowNs: 1n, hash: 'md5' } as const;

describe('a file on both sides', () => {
  const cases: readonly Case[] = [
    ['equal', file(1, 5n), file(1, 5n), {}, 'keep'],
    ['another size', file(1, 5n), file(2, 5n), {}, 'transfer'],
    ['another time, hash asked', file(1, 5n), file(1, 6n), {}, 'needs hashes'],
    ['another time, same hash', file(1, 5n), file(1, 6n), {}, 'set-time', 'same'],
    ['another time, other hash', file(1, 5n), file(1, 6n), {}, 'transfer', 'differs'],
    ['another time, no hash', file(1, 5n), file(1, 6n), {}, 'transfer', 'unknown'],
    ['--refresh-times', file(1, 5n), file(1, 6n), { refreshTimes: true }, 'set-time', 'unknown'],
    [
      '--refresh-times, hash',
      file(1, 5n),
      file(1, 6n),
      { refreshTimes: true },
      'transfer',
      'differs',
    ],
    ['a move, other listed hash', of('a'), of('b'), { deletesSource: true }, 'needs details'],
    ['a move, same listed hash', of('a'), of('a'), { deletesSource: true }, 'keep'],
    ['a move, one listed hash', of('a'), file(1, 5n), { deletesSource: true }, 'keep'],
    ['a copy, other listed hash', of('a'), of('b'), {}, 'keep'],
    ['time not listed', file(1), file(1, 6n), {}, 'needs times'],
    ['time not listed, other size', file(1), file(2, 6n), {}, 'transfer'],
    ['size unknown', file(-1, 5n), file(9, 5n), {}, 'keep'],
    ['--no-update-modtime', file(1, 5n), file(1, 6n), { noUpdateModtime: true }, 'keep', 'same'],
    ['--size-only', file(1, 5n), file(1, 6n), { sizeOnly: true }, 'keep'],
    ['--size-only, other size', file(1, 5n), file(2, 5n), { sizeOnly: true }, 'transfer'],
    ['--checksum asks', file(1, 5n), file(1, 5n), { checksum: true }, 'needs hashes'],
    ['--checksum same', file(1, 5n), file(1, 6n), { checksum: true }, 'keep', 'same'],
    ['--checksum differs', file(1, 5n), file(1, 5n), { checksum: true }, 'transfer', 'differs'],
    ['--checksum unknown', file(1, 5n), file(1, 6n), { checksum: true }, 'keep', 'unknown'],
    [
      '--checksum of a move, unknown, another time',
      file(1, 5n),
      file(1, 6n),
      moved,
      'transfer',
      'unknown',
    ],
    [
      '--checksum of a move, unknown, the same time',
      file(1, 5n),
      file(1, 5n),
      moved,
      'keep',
      'unknown',
    ],
    [
      '--checksum of a move, unknown, time not listed',
      file(1, 5n),
      file(1),
      moved,
      'needs times',
      'unknown',
    ],
    ['--ignore-times', file(1, 5n), file(1, 5n), { ignoreTimes: true }, 'transfer'],
    ['--ignore-existing', file(1, 5n), file(2, 6n), { ignoreExisting: true }, 'keep'],
    ['--ignore-size', file(1, 5n), file(2, 5n), { ignoreSize: true }, 'keep'],
    ['--update, dest newer', file(1, 5n), file(2, 6n), { update: true }, 'keep'],
    ['--update, dest older', file(1, 6n), file(2, 5n), { update: true }, 'transfer'],
    ['--update, dest older, asks', file(1, 6n), file(1, 5n), { update: true }, 'needs hashes'],
    ['--update, older, same', file(1, 6n), file(1, 5n), { update: true }, 'set-time', 'same'],
    [
      '-u -c, older, same',
      file(1, 6n),
      file(1, 5n),
      { update: true, checksum: true },
      'keep',
      'same',
    ],
    ['--update, older, unknown', file(1, 6n), file(1, 5n), { update: true }, 'transfer', 'unknown'],
    ['--update, same time', file(1, 5n), file(1, 5n), { update: true }, 'keep'],
    ['--update, same time, other size', file(1, 5n), file(2, 5n), { update: true }, 'transfer'],
    ['--immutable, equal', file(1, 5n), file(1, 5n), { immutable: true }, 'keep'],
    ['--immutable, changed', file(1, 5n), file(2, 5n), { immutable: true }, 'refuse'],
    ['--immutable, other time', file(1, 5n), file(1, 6n), { immutable: true }, 'refuse', 'same'],
  ];
  for (const [what, source, dest, options, expected, hashes] of cases) {
    test(what, () => {
      const facts = hashes === undefined ? { source, dest } : { source, dest, hashes };
      expect(judgedAs(facts, options, both)).toBe(expected);
    });
  }

  test('times within the coarser precision are the same', () => {
    const ground = { windowNs: 1_000_000_000n, hash: undefined };
    expect(judgedAs({ source: file(1, 0n), dest: file(1, 999_999_999n) }, {}, ground)).toBe('keep');
    expect(judgedAs({ source: file(1, 0n), dest: file(1, 1_000_000_000n) }, {}, ground)).toBe(
      'transfer',
    );
  });

  test('without times on a side, the size decides', () => {
    const ground = { windowNs: undefined, hash: 'md5' } as const;
    expect(judgedAs({ source: file(1, 5n), dest: file(1) }, {}, ground)).toBe('keep');
  });

  const explain = (reason: Reason) =>
    messageOf({ type: 'log', level: 'debug', code: 'decided', fields: { reason } });

  test('reasons read as in rclone', () => {
    const decision = judged({ source: file(4, 5n), dest: file(3, 5n) }, {}, both);
    expect('reason' in decision && explain(decision.reason)).toBe('Sizes differ (src 4 vs dst 3)');
    const same = judged({ source: file(4, 5n), dest: file(4, 5n) }, {}, both);
    expect('reason' in same && explain(same.reason)).toBe(
      'Size and modification time the same (differ by 0s, within tolerance 1ns)',
    );
  });
});

test('a move transfers a file whose hash differs, if responses about both files say so', () => {
  const options = { deletesSource: true };
  const pair = { source: of('a'), dest: of('b'), isDetailed: true };
  expect(judged(pair, options, both)).toEqual({
    do: 'transfer',
    reason: { why: 'hash-differs', hash: 'md5' },
  });
  // Encrypted objects have an ETag in listings, and no MD5 in responses.
  const encrypted = { source: file(1, 5n), dest: file(1, 5n), isDetailed: true };
  expect(judgedAs(encrypted, options, both)).toBe('keep');
});

test('every flag of a rule has its entry in the list, under its own name', () => {
  const flags = Object.keys(RULE_FLAGS).map((flag) => `--${flag}`);
  expect(Object.keys(RULES)).toEqual(expect.arrayContaining(flags));
});
