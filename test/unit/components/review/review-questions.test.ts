import { expect, test } from 'vitest';
import { ReviewView } from '../../../../components/review/review-view.tsx';
import { textKey } from '../../../../src/terminal/key.ts';
import { applied, startReview } from '../../../support/start-review.ts';
import { MIXED } from '../../run/review/a-plan.ts';
import { showScreen } from '../draw-screen.tsx';

const NOT_BY_SERVER = { deleted: false, replaced: false };

test.each([
  [false, 't', true, 'y does it for good; t keeps the old files in the trash'],
  [false, 'y', false, 'not kept, cannot be undone'],
  [true, 'y', true, 'y keeps the old files in the trash; ! does it for good'],
  [true, '!', false, 'kept in the trash, undo brings it back'],
])(
  'a review with its trash on (%s) says what is for good, and %s decides about it',
  async (isOn, key, isOnThen, says) => {
    const trash = { isOn };
    const { model, press } = startReview(MIXED, false, false, { trash, server: NOT_BY_SERVER });
    press('a');
    expect(model.asked()).toContain(says);
    press(key);
    expect(await applied(model)).toHaveLength(MIXED.size);
    expect(trash.isOn).toBe(isOnThen);
  },
);

test('a review does not offer the trash for what is kept anyway', () => {
  for (const keeping of [
    { trash: { isOn: false }, server: { deleted: true, replaced: true } },
    { trash: { isOn: false }, server: NOT_BY_SERVER, aside: true },
  ]) {
    const { model, press } = startReview(MIXED, false, false, keeping);
    press('a');
    expect(model.asked()).not.toMatch(/not kept|trash/);
    expect(model.keys().map(({ keys }) => keys)).not.toContain('t');
  }
});

test('q asks before choices are lost, and only y leaves then', async () => {
  const { model, press } = startReview();
  press('Space', 'q');
  expect(model.asked()).toBe('Leave? 4 choices are lost, and nothing is changed.');
  press('n', 'q', 'Enter');
  await expect(applied(model)).rejects.toThrow('still open');
  press('q', 'y');
  expect(await applied(model)).toBeUndefined();
});

test('q leaves at once where nothing was chosen, or what was excluded is included again', async () => {
  for (const keys of [[], ['Space', 'Up', 'Space']]) {
    const { model, press } = startReview();
    press(...keys, 'q');
    expect(await applied(model)).toBeUndefined();
  }
});

test('? opens the help on the page of a change, and does not close the page', () => {
  const { model } = startReview();
  const { screen } = showScreen(model, ReviewView);
  screen.press(textKey('i'));
  screen.press(textKey('?'));
  expect(screen.helpFrom).toBe(0);
  screen.press(textKey('?'));
  screen.press(textKey('q'));
  expect(model.state.mode).toBe('browse');
});

test('a file that a move leaves at its destination is not lost', () => {
  const plan = new Map([
    ['m', { kind: 'move', path: 'm', size: 3, isDir: false, reason: '' }],
    ['d', { kind: 'delete', path: 'd', size: 4, isDir: false, reason: '', side: 'source' }],
  ] as const);
  const { model, press } = startReview(plan);
  press('a');
  expect(model.asked()).toBe('Apply 2 changes?\n1 deletion at the source and 1 move');
});
