import { expect, test } from 'vitest';
import { ActionScreen } from '../../../src/screen/action-screen.ts';
import { ctrlKey, type Key, namedKey, textKey } from '../../../src/screen/key.ts';
import { ACTIONS, row } from '../../../src/screen/key-table.ts';

function opened() {
  const pressed: Key[] = [];
  const screen = new ActionScreen<void>({
    keys: () => [{ ...ACTIONS, run() {} }, row('d', 'delete', 'delete it', () => {})],
    press: (key) => pressed.push(key),
    ...{ resize() {}, subscribe: () => () => {}, version: () => 0 },
    frame: () => ({ subject: '', aside: '', lines: [], hints: [] }),
    result: new Promise<void>(() => {}),
  });
  screen.press(textKey(':'));
  return { screen, pressed };
}

test('Ctrl-C leaves the list of actions, and is the key of the screen', () => {
  const { screen, pressed } = opened();
  expect(screen.finding).toBeDefined();
  screen.press(ctrlKey('c'));
  expect([screen.finding, pressed]).toEqual([undefined, [ctrlKey('c')]]);
});

test('what is typed finds an action, and Enter presses its key', () => {
  const { screen, pressed } = opened();
  for (const letter of 'dele') screen.press(textKey(letter));
  expect([screen.finding?.typed.text, pressed]).toEqual(['dele', []]);
  screen.press(namedKey('enter'));
  expect([screen.finding, pressed]).toEqual([undefined, [textKey('d')]]);
});
