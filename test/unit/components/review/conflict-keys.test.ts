import { expect, test } from 'vitest';
import { ReviewModel } from '../../../../components/review/review-model.ts';
import { ReviewView } from '../../../../components/review/review-view.tsx';
import type { Keep } from '../../../../src/engine/consent.ts';
import type { Plan } from '../../../../src/run/review/plan-consent.ts';
import type { PlannedChange } from '../../../../src/run/review/planned-change.ts';
import { namedKey, textKey } from '../../../../src/terminal/key.ts';
import { showScreen } from '../draw-screen.tsx';

const conflict = (path: string, a: [number, bigint], b: [number, bigint]): PlannedChange => ({
  ...{ kind: 'conflict', path, size: a[0], isDir: false, reason: 'keep both' },
  source: { size: a[0], modTime: a[1] },
  dest: { size: b[0], modTime: b[1] },
});

const PLAN: Plan = new Map([
  ['a', conflict('a', [1, 5n], [2, 4n])],
  ['b', conflict('b', [3, 5n], [2, 6n])],
  ['c', conflict('c', [3, 5n], [3, 5n])],
]);

function start() {
  const keeps = new Map<PlannedChange, Keep>();
  const model = new ReviewModel({
    ...{ plan: PLAN, title: 'bisync', subject: '', problems: [], readOnly: false, keeps },
    difference: async ({ path }) =>
      path === 'b' ? 'Not a text.' : [{ left: 'x', right: 'y', isEqual: false }],
  });
  model.resize({ columns: 80, rows: 24 });
  const press = (...names: string[]) => {
    const named: Record<string, ReturnType<typeof namedKey>> = {
      Enter: namedKey('enter'),
      Esc: namedKey('escape'),
      Down: namedKey('down'),
    };
    for (const name of names) model.press(named[name] ?? textKey(name));
  };
  const decided = () => Object.fromEntries([...keeps].map(([change, keep]) => [change.path, keep]));
  return { model, press, decided };
}

test('each conflict is decided by itself, the rest by a rule', async () => {
  const { model, press, decided } = start();
  press('Enter', '2', 'Esc', 'r', 'n');
  expect(model.state.notice).toBe('1 conflict decided, 1 left: both are equal in that');
  press('r', 'b', 'a', 'y');
  expect(await model.result).toEqual(new Set(PLAN.values()));
  expect(decided()).toEqual({ a: 'path2', b: 'path2', c: 'both' });
});

test('the page of a conflict has a list of its keys', () => {
  const { model, press } = start();
  press('Enter');
  const { screen, draw } = showScreen(model, ReviewView);
  screen.press(textKey('?'));
  const text = draw({ columns: 80, rows: 24 }).join(' ');
  expect(text).toContain('keep both versions, one under another name');
  expect(text).not.toContain('apply everything shown');
  screen.press(textKey('x'));
  expect(draw({ columns: 80, rows: 24 }).join(' ')).not.toContain('one under another name');
});

test.each([
  ['o', { a: 'path2', b: 'path1' }],
  ['l', { a: 'path2', b: 'path1' }],
  ['s', { a: 'path1', b: 'path2' }],
  ['1', { a: 'path1', b: 'path1', c: 'path1' }],
])('rule %s', async (key, expected) => {
  const { model, press, decided } = start();
  press('r', key, 'a', 'y');
  await model.result;
  expect(decided()).toEqual(expected);
});

test('Enter, held down, decides nothing, and q leaves everything as it is', async () => {
  const { model, press, decided } = start();
  press(...Array.from({ length: 20 }, () => 'Enter'), 'Esc', 'a', 'Enter', 'Enter', '1', 'q', 'y');
  expect(await model.result).toBeUndefined();
  expect(decided()).toEqual({});
});

test('both versions are shown, with how they differ', async () => {
  const { model, press } = start();
  const { draw } = showScreen(model, ReviewView);
  const shown = (columns = 80) => {
    model.resize({ columns, rows: 32 });
    const rows = draw({ columns, rows: 32 }).slice(1, -2);
    return rows.slice(0, rows.findLastIndex((row) => row !== '') + 1);
  };
  press('Enter');
  await Promise.resolve();
  await Promise.resolve();
  expect(shown()).toContainEqual(expect.stringMatching(/^ +path1 +path2$/));
  expect(shown()).toContainEqual(expect.stringMatching(/^size +1 byte +2 bytes$/));
  expect(shown().at(-1)).toMatch(/^x +\| y$/);
  expect(shown(40).slice(-2)).toEqual(['< x', '> y']);
  press('Esc', 'Down', 'Enter');
  await Promise.resolve();
  await Promise.resolve();
  expect(shown().at(-1)).toBe('Not a text.');
});
