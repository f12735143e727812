import { describe, expect, test } from 'vitest';
import {
  matchRenames,
  type RenameCandidate,
} from '../../../src/engine/passes/renames/track-renames.ts';

const SAME_CONTENT = { windowNs: 1n, sameContent: true };
const GUESSED = { windowNs: 10n, sameContent: false };

/** Candidates by path: key, and time where it matters. */
function candidates(list: Readonly<Record<string, readonly [key: string, time?: bigint]>>) {
  return Object.entries(list).map(
    ([path, [key, modTime = 0n]]): RenameCandidate => ({
      file: { kind: 'file', path, size: 1 },
      key,
      modTime,
    }),
  );
}

function matched(...args: Parameters<typeof matchRenames>) {
  const { renames, ambiguous } = matchRenames(...args);
  const pairs = renames.map(({ source, dest }) => `${dest.path} > ${source.path}`);
  return { pairs: pairs.sort(), ambiguous };
}

describe('files of one key with one content', () => {
  test('are paired, each once', () => {
    const sources = candidates({ new1: ['a'], new2: ['a'], new3: ['b'], alone: ['c'] });
    const dests = candidates({ old1: ['a'], old2: ['a'], old3: ['a'], old4: ['b'], left: ['d'] });
    expect(matched(sources, dests, SAME_CONTENT)).toEqual({
      pairs: ['old1 > new1', 'old2 > new2', 'old4 > new3'],
      ambiguous: 0,
    });
  });

  test('are taken for those of the same last name first', () => {
    const sources = candidates({ 'new/1': ['a'], 'new/2': ['a'] });
    const dests = candidates({ 'old/2': ['a'], 'old/0': ['a'] });
    expect(matched(sources, dests, SAME_CONTENT).pairs).toEqual(['old/0 > new/1', 'old/2 > new/2']);
  });

  test('are paired by time where times count', () => {
    const sources = candidates({ new1: ['a', 20n], new2: ['a', 10n], new3: ['a', 15n] });
    const dests = candidates({ old1: ['a', 10n], old2: ['a', 20n], old3: ['a', 16n] });
    expect(matched(sources, dests, SAME_CONTENT).pairs).toEqual(['old1 > new2', 'old2 > new1']);
  });

  test('are paired as far as the window goes, and no farther', () => {
    const sources = candidates({ new1: ['a', 0n], new2: ['a', 9n] });
    const rules = { windowNs: 10n, sameContent: true };
    const near = candidates({ old1: ['a', 9n], old2: ['a', 18n] });
    expect(matched(sources, near, rules).pairs).toEqual(['old1 > new1', 'old2 > new2']);
    const far = candidates({ old1: ['a', 10n], old2: ['a', 19n] });
    expect(matched(sources, far, rules).pairs).toEqual(['old1 > new2']);
  });
});

describe('files of one key whose content nobody knows', () => {
  test('are paired where there is one on each side', () => {
    const sources = candidates({ new1: ['a', 5n], new2: ['a', 500n] });
    const dests = candidates({ old2: ['a', 509n], old1: ['a', 0n] });
    expect(matched(sources, dests, GUESSED)).toEqual({
      pairs: ['old1 > new1', 'old2 > new2'],
      ambiguous: 0,
    });
  });

  test('are not guessed where there are several', () => {
    const sources = candidates({ new1: ['a'] });
    const dests = candidates({ old1: ['a'], old2: ['a'] });
    expect(matched(sources, dests, GUESSED)).toEqual({ pairs: [], ambiguous: 1 });
    expect(matched(dests, sources, GUESSED)).toEqual({ pairs: [], ambiguous: 1 });
  });

  test('are paired where the last name tells which', () => {
    const sources = candidates({ 'new/1': ['a'], 'new/2': ['a'], 'new/3': ['a'], other: ['a'] });
    const dests = candidates({ 'old/1': ['a'], 'old/2': ['a'], 'elsewhere/2': ['a'] });
    expect(matched(sources, dests, GUESSED)).toEqual({ pairs: ['old/1 > new/1'], ambiguous: 2 });
  });
});

test('a hundred thousand files of one size are matched by their times', () => {
  const times = Array.from({ length: 100_000 }, (_, i) => BigInt(i) * 100n);
  const side = (name: string) =>
    candidates(Object.fromEntries(times.map((time, i) => [`${name}${i}`, ['1', time] as const])));
  const { renames } = matchRenames(side('new'), side('old'), GUESSED);
  expect(renames.length).toBe(100_000);
});
