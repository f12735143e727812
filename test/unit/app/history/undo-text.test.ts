import { expect, test } from 'vitest';
import { historyLines, undoText } from '../../../../src/app/history/history-text.ts';

const head = { id: '20261121-113012-7k3f', beganMs: 0, words: [], dir: '', mark: '' };
const entry = { words: [], beganMs: 0, isRunning: false, undoUntilMs: 0 };
const kept = { ...entry, hasJournal: true } as const;

test('only a run that changed something, or was interrupted, can be undone', () => {
  const text = (create: number) =>
    undoText({ ...kept, head: { ...head, sum: { changes: { create, delete: 0 }, gone: 0 } } });
  expect(text(0)).toBe('changed nothing');
  expect(text(1)).toMatch(/^undo until/);
  expect(undoText({ ...kept, head })).toMatch(/^undo until/);
  expect(undoText(kept)).toMatch(/^undo until/);
  expect(undoText({ ...entry, head })).toMatch(/no longer kept$/);
  expect(undoText(entry)).toBe('changed nothing');
});

test('a run whose clock had not been set has no age, and no date until which it can be undone', () => {
  const { undoUntilMs: _, ...unknown } = kept;
  expect(undoText({ ...unknown, head })).toBe('can be undone');
  const nowMs = Date.UTC(2026, 10, 21);
  expect(historyLines([{ ...unknown, head }], nowMs, undefined)[0]).toMatch(
    /clock not set .*can be undone/,
  );
});
