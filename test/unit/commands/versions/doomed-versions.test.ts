import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  doomedVersions,
  type PruneRules,
  versionsAt,
} from '../../../../commands/versions/versions.ts';
import type { KeptKind } from '../../../../src/core/entry-details.ts';
import { modTimeFromMs } from '../../../../src/core/mod-time.ts';
import type { FileEntry } from '../../../../src/core/remote.ts';

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 10, 22);

const entry = (
  path: string,
  kind: KeptKind,
  daysOld: number,
  id = `${kind}${daysOld}`,
): FileEntry => {
  const modTime = modTimeFromMs(NOW - daysOld * DAY_MS);
  return {
    kind: 'file',
    path,
    size: kind.endsWith('marker') ? 0 : 10,
    modTime,
    kept: { kind, id },
  };
};

async function* paged(entries: readonly FileEntry[], size = 2) {
  for (let from = 0; from < entries.length; from += size) yield entries.slice(from, from + size);
}

/** What is deleted, in order, as `path id`. */
async function doomed(entries: readonly FileEntry[], rules: Partial<PruneRules> = {}) {
  const all = { keep: 0, olderThanMs: 0, nowMs: NOW, includes: () => true, ...rules };
  const found: FileEntry[] = [];
  for await (const one of doomedVersions(paged(entries), all)) {
    found.push(...('version' in one ? [one.version] : one.markers));
  }
  return found.map(({ path, kept }) => `${path} ${kept?.id}`);
}

const A = [
  entry('a', 'current', 1),
  entry('a', 'old', 10),
  entry('a', 'old', 40),
  entry('a', 'old', 90),
];
const DELETED = [entry('d', 'marker', 5), entry('d', 'old', 50), entry('d', 'old', 60)];

describe('old versions', () => {
  test.each<[string, Partial<PruneRules>, string[]]>([
    ['all', {}, ['a old10', 'a old40', 'a old90']],
    ['all but the newest', { keep: 1 }, ['a old40', 'a old90']],
    ['none of few', { keep: 3 }, []],
    // The one of 40 days was current until 10 days ago.
    ['replaced 30 days ago', { olderThanMs: 30 * DAY_MS }, ['a old90']],
    ['both rules count', { keep: 3, olderThanMs: 30 * DAY_MS }, []],
    [
      'of those the filter includes',
      { includes: ({ kept }) => kept?.id !== 'old40' },
      ['a old10', 'a old90'],
    ],
  ])('%s', async (_what, rules, expected) => {
    expect(await doomed(A, rules)).toEqual(expected);
  });

  test('a version whose successor has no time stays', async () => {
    const { modTime: _, ...timeless } = entry('a', 'current', 40);
    expect(await doomed([timeless, entry('a', 'old', 90)], { olderThanMs: DAY_MS })).toEqual([]);
  });
});

describe('delete markers', () => {
  test.each<[string, readonly FileEntry[], Partial<PruneRules>, string[]]>([
    ['go after all they hide', DELETED, {}, ['d old50', 'd old60', 'd marker5']],
    ['stay above a version that stays', DELETED, { keep: 1 }, ['d old60']],
    ['stay above an excluded one', DELETED, { includes: () => false }, []],
    ['go if they hide nothing', [entry('d', 'marker', 1)], { keep: 9 }, ['d marker1']],
    [
      'between versions go only if nothing older stays',
      [
        A[0] as FileEntry,
        entry('a', 'old-marker', 3),
        entry('a', 'old', 9),
        entry('a', 'old-marker', 20),
      ],
      { keep: 1 },
      ['a old-marker20'],
    ],
  ])('%s', async (_what, entries, rules, expected) => {
    expect(await doomed(entries, rules)).toEqual(expected);
  });

  test('two keys with one path are two files', async () => {
    const other = (kind: KeptKind, days: number) => entry('a', kind, days, `${kind}${days}\nA`);
    expect(await doomed([...A, other('current', 1), other('old', 2)], { keep: 1 })).toEqual([
      ...['a old40', 'a old90'],
    ]);
  });
});

test('whatever the history, no current file changes, and no marker is left without a version', async () => {
  const step = fc.record({ isDelete: fc.boolean(), days: fc.integer({ min: 1, max: 40 }) });
  const histories = fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { maxLength: 4 });
  const property = fc.asyncProperty(
    histories,
    fc.nat(3),
    fc.nat(60),
    async (files, keep, olderThan) => {
      const entries = files.flatMap((steps, i) => {
        let age = 0;
        return steps.map(({ isDelete, days }, at): FileEntry => {
          age += days;
          const old = at > 0;
          const kind = isDelete ? (old ? 'old-marker' : 'marker') : old ? 'old' : 'current';
          return entry(`f${i}`, kind, age, `${at}`);
        });
      });
      const rules = { keep, olderThanMs: olderThan * DAY_MS };
      const gone = new Set(await doomed(entries, rules));
      const left = entries.filter(({ path, kept }) => !gone.has(`${path} ${kept?.id}`));
      const newest = (all: readonly FileEntry[]) =>
        new Map(all.toReversed().map(({ path, kept }) => [path, kept] as const));
      const current = (all: readonly FileEntry[]) =>
        [...newest(all)].filter(([, kept]) => !kept?.kind.endsWith('marker'));
      expect(current(left)).toEqual(current(entries));
      for (const [path, kept] of newest(left)) {
        if (kept?.kind !== 'marker') continue;
        expect(left.some((one) => one.path === path && one.kept?.kind === 'old')).toBe(true);
      }
      expect(await doomed(left, rules)).toEqual([]);
    },
  );
  await fc.assert(property, { numRuns: 500 });
});

test('pages are read one at a time', async () => {
  let pages = 0;
  const endless = async function* () {
    for (;;) yield [entry(`f${pages++}`, 'current', 1), entry(`f${pages}`, 'marker', 1)];
  };
  const rules = { keep: 0, olderThanMs: 0, nowMs: NOW, includes: () => true };
  for await (const one of doomedVersions(endless(), rules)) {
    expect(one).toBeDefined();
    if (pages > 2) break;
  }
  expect(pages).toBe(3);
});

test.each<[number, string[]]>([
  [0, ['a current1', 'd marker5']],
  [5, ['a old10', 'd marker5']],
  [20, ['a old40', 'd old50']],
  [70, ['a old90']],
  [100, []],
])('%i days ago', async (days, expected) => {
  const found: string[] = [];
  for await (const { path, kept } of versionsAt(paged([...A, ...DELETED]), NOW - days * DAY_MS)) {
    found.push(`${path} ${kept?.id}`);
  }
  expect(found).toEqual(expected);
});
