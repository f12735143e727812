import { describe, expect, test } from 'vitest';
import { deletesReferred } from '../../../src/engine/passes/references/references.ts';
import { comparingRules } from '../../../src/engine/rules/comparison.ts';
import { plainOptions } from '../../support/memory-world.ts';

describe('whether the source is deleted when a reference directory has the file', () => {
  test.each([
    ['copy', 'new', false],
    ['sync', 'pair', false],
    ['move', 'pair', true],
    ['move', 'new', false],
    ['move', 'named', true],
  ] as const)('%s of a %s file', (verb, of, deletesSource) => {
    expect(deletesReferred(verb, of, plainOptions)).toBe(deletesSource);
  });

  test('--ignore-existing keeps the source', () => {
    expect(deletesReferred('move', 'named', { ignoreExisting: true })).toBe(false);
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
