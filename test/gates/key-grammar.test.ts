import { expect, test } from 'vitest';
import { type KeyRule, keysIn } from '../../src/terminal/key-table.ts';
import { KEY_SAMPLES } from '../unit/terminal/key-samples.ts';

/** What a key does wherever it does something: the first word of its name. */
const GRAMMAR: Readonly<Record<string, RegExp>> = {
  Esc: /^(back|cancel|close|quit)\b/i,
  q: /^(quit|back|cancel|close)\b/i,
  '?': /^keys\b/i,
  '/': /^(search|filter)\b/i,
  ':': /^actions\b/i,
  Space: /^(mark|exclude)\b/i,
  Enter: /^(open|select|edit|run|next|keep|close|cancel|expand)\b/i,
  r: /^(refresh|rescan)\b/i,
};

/** Keys that stand against it, by screen, and why. */
const EXCEPTIONS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  // A job, a run and an ended login have nothing else to refresh; all of these ask first or show what they do.
  home: { r: ['Run', 'run again', 'Log in again'] },
  hooks: { r: ['run again'] },
  // rclone's letters.
  'config wizard': { r: ['rename'], Esc: ['show all'] },
  // ncdu's and less' own: "?" is help, Space scrolls a text, any of its keys leaves the help.
  browser: {
    '?': ['help', 'back'],
    Space: ['scroll', 'unmark'],
    Esc: ['show all'],
    Enter: ['back', 'failures', 'copy', 'move', 'go to', 'list'],
    r: ['try again'],
  },
  review: { Esc: ['show all'] },
  // A run is not left but stopped, and another's run is left to itself; Space pauses it, as a player.
  progress: { q: ['stop', 'detach'], Space: ['pause'], Enter: ['limit'] },
};

/** Where a table breaks the grammar. */
function grammarFaults(screen: string, table: readonly KeyRule<unknown>[]): string[] {
  const excepted = EXCEPTIONS[screen] ?? {};
  return table.flatMap(({ keys, also = '', does }) =>
    [...keysIn(keys), ...keysIn(also)].flatMap((key) => {
      const wanted = GRAMMAR[key];
      if (wanted === undefined || does === '' || wanted.test(does)) return [];
      return excepted[key]?.includes(does) === true ? [] : [`${screen}: ${key} is "${does}"`];
    }),
  );
}

test('keys mean the same on every screen', async () => {
  const faults: string[] = [];
  const withActions = new Set<string>();
  for (const { screen, states } of KEY_SAMPLES) {
    for (const open of Object.values(states)) {
      const sample = open();
      await sample.seen();
      const table = sample.table();
      faults.push(...grammarFaults(screen, table));
      if (table.some(({ keys }) => keys === ':')) withActions.add(screen);
    }
  }
  expect([...new Set(faults)]).toEqual([]);
  const without = KEY_SAMPLES.map(({ screen }) => screen).filter((name) => !withActions.has(name));
  expect(without).toEqual([]);
});

test('a table against the grammar is found', () => {
  const run = () => undefined;
  const rule = { keys: 'Space', also: 'Esc', does: 'delete', run };
  expect(grammarFaults('home', [rule])).toEqual([
    'home: Space is "delete"',
    'home: Esc is "delete"',
  ]);
});
