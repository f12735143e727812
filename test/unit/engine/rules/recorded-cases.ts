import type { CommonGround, PairFacts } from '../../../../src/engine/rules/rule.ts';
import type { CompareOptions } from '../../../../src/engine/sync-option-parts.ts';

/** Pairs of files that differ in what rules look at, with what is known about them. */
export const PAIRS: readonly PairFacts[] = [...pairs()];

function* pairs(): Generator<PairFacts> {
  const source = { kind: 'file', path: 'f', size: 3, modTime: 1000n } as const;
  const dests = [
    { ...source },
    { ...source, modTime: 1001n },
    { ...source, modTime: 999n },
    { ...source, size: 4, modTime: 1001n },
    { ...source, size: 4, modTime: 999n },
    { ...source, size: -1 },
    { kind: 'file', path: 'f', size: 3 },
    { ...source, isWrong: true },
    { ...source, size: 4, modTime: 1001n, isRewritten: true },
    { ...source, hashes: { md5: 'b' } },
  ] as const;
  for (const dest of dests) {
    yield { source, dest };
    for (const hashes of ['same', 'differs', 'unknown'] as const) yield { source, dest, hashes };
  }
  const hashed = { ...source, hashes: { md5: 'a' } };
  for (const isDetailed of [false, true])
    yield { source: hashed, dest: { ...source, hashes: { md5: 'b' } }, isDetailed };
}

/** What two sides may have in common. */
export const GROUNDS: readonly CommonGround[] = [
  { windowNs: 1n, hash: 'md5' },
  { windowNs: 2n, hash: undefined },
  { windowNs: undefined, hash: 'md5' },
];

const SWITCHES = [
  'checksum',
  'sizeOnly',
  'ignoreTimes',
  'ignoreSize',
  'ignoreExisting',
  'update',
  'immutable',
  'noUpdateModtime',
  'refreshTimes',
  'deletesSource',
] as const satisfies readonly (keyof CompareOptions)[];

/** Up to three options at a time. */
export const SWITCHED: readonly (readonly (keyof CompareOptions)[])[] = [...switched()];

function* switched(): Generator<(keyof CompareOptions)[]> {
  yield [];
  for (const [at, one] of SWITCHES.entries()) {
    yield [one];
    for (const [next, two] of SWITCHES.slice(at + 1).entries()) {
      yield [one, two];
      for (const three of SWITCHES.slice(at + next + 2)) yield [one, two, three];
    }
  }
}
