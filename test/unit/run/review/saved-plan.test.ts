import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changeKey, KINDS, type PlannedChange } from '../../../../src/run/review/planned-change.ts';
import { formatPlan, parsePlan } from '../../../../src/run/review/saved-plan.ts';

const print = fc.record(
  { size: fc.nat(), modTime: fc.bigInt(0n, 10n ** 19n), etag: fc.string() },
  { requiredKeys: ['size'] },
);
const name = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'));
const entry = fc
  .record({
    kind: fc.constantFrom(...KINDS),
    path: name,
    from: fc.option(name, { nil: undefined }),
    side: fc.constantFrom('source' as const, undefined),
    size: fc.oneof(fc.constant(-1), fc.nat()),
    reason: fc.string(),
    source: fc.option(print, { nil: undefined }),
    dest: fc.option(print, { nil: undefined }),
  })
  .map(({ side, from, source, dest, ...rest }) => {
    const { kind } = rest;
    const isDir = kind === 'make-dir' || kind === 'remove-dir';
    const change = {
      ...rest,
      isDir,
      ...(from === undefined ? {} : { from }),
      ...(side === undefined ? {} : { side }),
      ...(source && { source }),
      ...(dest && { dest }),
    } as PlannedChange;
    return [changeKey(change), change] as const;
  });

const HEAD = { words: ['sync', 'a', 'b'], dir: '/d', savedMs: Date.UTC(2026, 0, 2) };

test('a saved plan is read as it was', () => {
  fc.assert(
    fc.property(fc.array(entry), fc.func(fc.boolean()), (entries, isChosen) => {
      const plan = new Map(entries);
      const chosen = new Set([...plan.values()].filter(isChosen));
      const conflicts = [...plan.values()].filter(({ kind }) => kind === 'conflict');
      const keeps = new Map(conflicts.map((change) => [change, 'path2'] as const));
      const saved = { ...HEAD, plan, chosen, keeps };
      expect(parsePlan(formatPlan(saved), 'p')).toEqual(saved);
    }),
  );
});

test('changes stand in the order of their paths, however they were found', () => {
  const changes = ['b', 'a/c', 'a'].map(
    (path): PlannedChange => ({ kind: 'copy', path, size: 1, reason: 'new', isDir: false }),
  );
  const plan = new Map(changes.map((change) => [changeKey(change), change]));
  const text = formatPlan({ ...HEAD, plan, chosen: new Set(changes), keeps: new Map() });
  const { changes: saved } = JSON.parse(text) as { changes: { path: string }[] };
  expect(saved.map(({ path }) => path)).toEqual(['a', 'a/c', 'b']);
});

describe('what is no plan is refused', () => {
  const good = () => {
    const change: PlannedChange = {
      kind: 'copy',
      path: 'a',
      size: 1,
      reason: 'new',
      isDir: false,
      source: { size: 1 },
    };
    const saved = {
      ...HEAD,
      plan: new Map([[changeKey(change), change]]),
      chosen: new Set([change]),
      keeps: new Map(),
    };
    return JSON.parse(formatPlan(saved));
  };
  const change = (fields: object) => ({
    ...good(),
    changes: [{ ...good().changes[0], ...fields }],
  });

  test.each([
    ['text', 'x'],
    ['null', 'null'],
    ['another document', '{}'],
    ['another version', JSON.stringify({ ...good(), version: 2 })],
    ['no command', JSON.stringify({ ...good(), command: 'sync a b' })],
    ['no directory', JSON.stringify({ ...good(), directory: undefined })],
    ['no time', JSON.stringify({ ...good(), saved: 'now' })],
    ['no changes', JSON.stringify({ ...good(), changes: {} })],
    ['a change that is null', JSON.stringify({ ...good(), changes: [null] })],
    ['an unknown kind', JSON.stringify(change({ kind: 'destroy' }))],
    ['a kind of Object', JSON.stringify(change({ kind: 'toString' }))],
    ['an unknown side', JSON.stringify(change({ side: 'top' }))],
    ['no path', JSON.stringify(change({ path: undefined }))],
    ['a size that is none', JSON.stringify(change({ size: '1' }))],
    ['a mark that is none', JSON.stringify(change({ excluded: 'no' }))],
    ['a source that is null', JSON.stringify(change({ source: null }))],
    ['a source without a size', JSON.stringify(change({ source: {} }))],
    ['a time that is none', JSON.stringify(change({ source: { size: 1, modTime: 'x' } }))],
    ['a change twice', JSON.stringify({ ...good(), changes: [0, 0].map(() => good().changes[0]) })],
  ])('%s', (_, text) => {
    expect(() => parsePlan(text, 'p.json')).toThrow('p.json is not a plan: ');
  });

  test('while the plan itself is read', () => {
    expect(parsePlan(JSON.stringify(good()), 'p').chosen.size).toBe(1);
  });
});
