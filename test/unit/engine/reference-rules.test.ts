import { describe, expect, test } from 'vitest';
import { deletesReferred } from '../../../src/engine/passes/references/references.ts';
import { comparingRules } from '../../../src/engine/rules/comparison.ts';
import { plainOptions } from '../../support/memory-world.ts';

describe('whether the source is deleted when a reference directory has the file', () => {
  const dest = { kind: 'file', path: 'f', size: 1 } as const;
  test.each([
    ['copy', 'new', {}, false],
    ['sync', 'on both sides', { dest }, false],
    ['move', 'on both sides', { dest }, true],
    ['move', 'new', {}, false],
  ] as const)('%s of a file that is %s', (verb, _, facts, deletesSource) => {
    expect(deletesReferred({ verb, options: plainOptions }, facts)).toBe(deletesSource);
  });

  test('a file that the user named is moved, unless --ignore-existing keeps the source', () => {
    const named = { verb: 'move', isOne: true } as const;
    expect(deletesReferred({ ...named, options: plainOptions }, {})).toBe(true);
    const options = { ...plainOptions, ignoreExisting: true };
    expect(deletesReferred({ ...named, options }, {})).toBe(false);
  });
});

describe('a file is compared with one of a reference directory', () => {
  const ground = { windowNs: 1n, hash: 'md5' } as const;
  const file = (size: number, modTime: bigint) =>
    ({ kind: 'file', path: 'f', size, modTime }) as const;
  const compare = (options: Partial<typeof plainOptions>, hashes?: 'same' | 'differs') => {
    const facts = { source: file(1, 1n), dest: file(1, 9n), ...(hashes ? { hashes } : {}) };
    const verdict = comparingRules({ ...plainOptions, ...options }, ground).judge(facts);
    if ('needs' in verdict) return `needs ${verdict.needs}`;
    return verdict.do === 'transfer' ? 'differs' : 'equal';
  };

  test('by time and hash, and another time does not count', () => {
    expect(compare({})).toBe('needs hashes');
    expect(compare({}, 'same')).toBe('equal');
    expect(compare({}, 'differs')).toBe('differs');
  });

  test('as --size-only and --checksum say', () => {
    expect(compare({ sizeOnly: true })).toBe('equal');
    expect(compare({ checksum: true }, 'differs')).toBe('differs');
  });

  test.each(['ignoreTimes', 'ignoreExisting', 'update', 'immutable'] as const)(
    '%s has no say',
    (option) => {
      expect(compare({ [option]: true }, 'differs')).toBe('differs');
      expect(compare({ [option]: true }, 'same')).toBe('equal');
    },
  );
});
