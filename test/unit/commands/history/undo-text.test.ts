import { expect, test } from 'vitest';
import { historyLines, undoText } from '../../../../commands/history/history.ts';

const id = '20261121-113012-7k3f';
const entry = { id, words: [], beganMs: 0, isRunning: false, undoUntilMs: 0 };
const result = { tookMs: 1, exit: 0, files: 0, bytes: 0, checks: 0, deleted: 0, errors: 0 };
const past = { ...result, id, words: [], dir: '', endedMs: 1 };
const kept = { ...entry, hasJournal: true } as const;

test('only a run that changed something, or was interrupted, can be undone', () => {
  const text = (create: number) =>
    undoText({ ...kept, sum: { changes: { create, delete: 0 }, gone: 0 } });
  expect(text(0)).toBe('changed nothing');
  expect(text(1)).toMatch(/^can be undone until/);
  expect(undoText(kept)).toMatch(/^can be undone until/);
  expect(undoText(entry)).toMatch(/no longer kept$/);
  expect(undoText({ ...entry, past })).toBe('changed nothing');
});

test('a run whose clock had not been set has no age, and no date until which it can be undone', () => {
  const { undoUntilMs: _, ...unknown } = kept;
  expect(undoText(unknown)).toBe('can be undone');
  const nowMs = Date.UTC(2026, 10, 21);
  expect(historyLines([unknown], nowMs, undefined)[0]).toMatch(/clock not set .*can be undone/);
});

test('a run of which only the folder is left was not interrupted, as far as is known', () => {
  const [line] = historyLines([{ ...kept, isLost: true }], Date.UTC(2026, 10, 21), undefined);
  expect(line).toMatch(/not recorded .*can be undone until/);
});
