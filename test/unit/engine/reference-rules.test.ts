import { describe, expect, test } from 'vitest';
import { decide } from '../../../src/engine/decide.ts';
import {
  decideReferred,
  referenceRules,
} from '../../../src/engine/passes/references/references.ts';
import { plainOptions } from '../../support/memory-world.ts';

describe('what is left to do when a reference directory has the file', () => {
  test.each([
    ['compare', 'copy', 'new', false, false],
    ['compare', 'sync', 'pair', false, false],
    ['compare', 'move', 'pair', false, true],
    ['compare', 'move', 'new', false, false],
    ['compare', 'move', 'named', false, true],
    ['copy', 'sync', 'new', true, false],
    ['copy', 'copy', 'pair', true, false],
    ['copy', 'move', 'pair', true, true],
    ['copy', 'move', 'new', true, false],
    ['copy', 'move', 'named', true, true],
  ] as const)('--%s-dest, %s of a %s file', (mode, verb, of, copies, deletesSource) => {
    expect(decideReferred(mode, verb, of, plainOptions)).toEqual({ copies, deletesSource });
  });

  test('--ignore-existing keeps the source', () => {
    const options = { ignoreExisting: true };
    expect(decideReferred('copy', 'move', 'named', options).deletesSource).toBe(false);
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
