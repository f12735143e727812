import { expect, test } from 'vitest';
import { RunListModel, RunListView } from '../../../../components/home/run-list.tsx';
import { namedKey, textKey } from '../../../../src/terminal/key.ts';
import { runningRun } from '../../run/home-world.ts';
import { showScreen } from '../draw-screen.tsx';

const WAITING = {
  ...{ ...runningRun, id: '20261121-113013-aaaa', words: ['sync', 'a', 'b', '--review'] },
  state: 'waiting',
} as const;

test.each([
  [120, 40],
  [80, 24],
  [40, 12],
])('the list of runs shows how far each is, at %s columns', (columns, rows) => {
  const { draw } = showScreen(new RunListModel([runningRun, WAITING], 0), RunListView);
  const shown = draw({ columns, rows }).join('\n');
  expect(shown).toContain('Which run?');
  expect(shown).toContain('42%, 7 B/s');
  expect(shown).toContain('sync');
  expect(shown).toMatch(columns < 60 ? 'waits f' : 'waits for your review');
  expect(shown).toContain('Enter attach');
});

test('Enter in the list of runs chooses the one at the cursor, Esc chooses none', async () => {
  const model = new RunListModel([runningRun, WAITING], 0);
  model.press(namedKey('down'));
  model.press(namedKey('enter'));
  expect(await model.result).toBe(WAITING.id);
  const left = new RunListModel([runningRun], 0);
  left.press(textKey('q'));
  expect(await left.result).toBeUndefined();
});
