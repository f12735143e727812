import { describe, expect, test } from 'vitest';
import { decide } from '../../../src/engine/decide.ts';
import {
  deletesReferred,
  referenceRules,
} from '../../../src/engine/passes/references/references.ts';
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
  const compare = (options: Partial<typeof plainOptions>, hashes?: 'same' | 'differs') =>
    decide(
      { source: file(1, 1n), dest: file(1, 9n), ...(hashes === undefined ? {} : { hashes }) },
      referenceRules({ ...plainOptions, ...options }),
      ground,
    );

  test('by time and hash, and its time stays', () => {
    expect(compare({}).action).toBe('need-hashes');
    expect(compare({}, 'same').action).toBe('skip');
    expect(compare({}, 'differs').action).toBe('transfer');
  });

  test('as --size-only and --checksum say', () => {
    expect(compare({ sizeOnly: true }).action).toBe('skip');
    expect(compare({ checksum: true }, 'differs').action).toBe('transfer');
  });

  test.each(['ignoreTimes', 'ignoreExisting', 'update', 'immutable'] as const)(
    '%s has no say',
    (option) => {
      expect(compare({ [option]: true }, 'differs').action).toBe('transfer');
      expect(compare({ [option]: true }, 'same').action).toBe('skip');
    },
  );
});
