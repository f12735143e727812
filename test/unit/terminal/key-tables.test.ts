import { describe, expect, test } from 'vitest';
import { ctrlKey, type Key, namedKey, textKey } from '../../../src/terminal/key.ts';
import {
  helpKeys,
  type KeyRule,
  keyName,
  keysIn,
  ruleOf,
} from '../../../src/terminal/key-table.ts';
import { ALL } from '../../support/in-part.ts';
import { ALL_KEYS, KEY_SAMPLES, type KeySample, type OpenSample } from './key-samples.ts';

type Rule = KeyRule<unknown>;

const WIDE = ['type', 'paste', 'any key'];

/** What is wrong with a key table as it is written. */
function tableFaults(table: readonly Rule[]): string[] {
  const faults: string[] = [];
  const taken = new Set<string>();
  for (const { keys, also = '', does, more = does } of table) {
    const words = new Set(more.split(/[\s,;.()]+/).flatMap((word) => keysIn(word)));
    for (const name of [...keysIn(keys), ...keysIn(also)]) {
      if (taken.has(name)) faults.push(`${name} stands twice`);
      taken.add(name);
    }
    for (const name of keysIn(also)) {
      if (!words.has(name)) faults.push(`the help of ${keys} does not name ${name}`);
    }
  }
  return faults;
}

/** Keys that do something and are not in the help, and keys of the help that do nothing in any state. */
async function keyFaults({ states }: KeySample): Promise<string[]> {
  const faults: string[] = [];
  const works = new Set<string>();
  const tables: (readonly Rule[])[] = [];
  for (const [name, open] of Object.entries(states)) {
    const table = await tableOf(open);
    tables.push(table);
    faults.push(...tableFaults(table).map((fault) => `${name}: ${fault}`));
    // A key that does nothing leaves its sample for the next one.
    let idle: Settled | undefined;
    for (const key of ALL_KEYS) {
      const rule = ruleOf(table, key);
      if (rule?.does === '') continue;
      const before = idle ?? (await settled(open()));
      before.sample.press(key);
      const after = await shown(before.sample);
      idle = after === before.shown ? before : undefined;
      if (idle !== undefined) continue;
      if (rule === undefined) faults.push(`${name}: ${keyName(key)} is not in the table`);
      else for (const one of helpKeys([rule])) works.add(`${keyName(key)} ${one.does}`);
    }
  }
  for (const rule of tables.flat()) {
    for (const { does } of helpKeys([rule])) {
      for (const name of [...keysIn(rule.keys), ...keysIn(rule.also ?? '')]) {
        if (WIDE.includes(name) || works.has(`${name} ${does}`)) continue;
        faults.push(`${name} (${does}) does nothing`);
      }
    }
  }
  return [...new Set(faults)];
}

/** A sample, and what is seen of it before a key. */
interface Settled {
  readonly sample: OpenSample;
  readonly shown: string;
}

const shown = async (sample: OpenSample) => JSON.stringify(await sample.seen());
const settled = async (sample: OpenSample): Promise<Settled> => ({
  sample,
  shown: await shown(sample),
});

/** The table of a state that may first settle. */
async function tableOf(open: () => OpenSample): Promise<readonly Rule[]> {
  const sample = open();
  await sample.seen();
  return sample.table();
}

/** The browser takes ten times as long as all others. */
const SAMPLES = KEY_SAMPLES.filter(({ screen }) => ALL || screen !== 'browser');

test.each(SAMPLES)(
  '$screen: what is in the help works, and what works is in the help',
  async (sample) => {
    expect(await keyFaults(sample)).toEqual([]);
  },
);

test('planted faults are found', async () => {
  let state = 0;
  const run = () => void state++;
  const table: Rule[] = [
    { keys: 'a', also: 'b ^X', does: 'add', more: 'add; also b', run },
    { keys: 'n', does: 'nothing', run: () => {} },
    { keys: 'a', does: 'again', run },
  ];
  const open = () => ({
    table: () => table,
    press(key: Key) {
      if (keyName(key) === 'h') state++;
      else (ruleOf(table, key)?.run as (() => void) | undefined)?.();
    },
    seen: async () => state,
  });
  expect(await keyFaults({ screen: 'planted', states: { only: open } })).toEqual([
    'only: the help of a does not name ^X',
    'only: a stands twice',
    'only: h is not in the table',
    'n (nothing) does nothing',
    'a (again) does nothing',
  ]);
});

describe('the names of keys', () => {
  test.each([
    ['→ Enter l', ['→', 'Enter', 'l']],
    ['↑↓ jk', ['↑', '↓', 'j', 'k']],
    ['1…3', ['1', '2', '3']],
    ['0-2 + - [ ]', ['0', '1', '2', '+', '-', '[', ']']],
    ['^L Ctrl-Z ^', ['^L', '^Z', '^']],
    ['Space Shift-Tab type', ['Space', 'Shift-Tab', 'type']],
    ['any key', ['any key']],
    ['', []],
  ])('in %j', (shown, names) => {
    expect(keysIn(shown)).toEqual(names);
  });

  test('an exact key comes before any character, and that before any key', () => {
    const rule = (keys: string): Rule => ({ keys, does: keys, run: undefined });
    const table = [rule('any key'), rule('type'), rule('q'), rule('^Q')];
    const taken = (key: Key) => ruleOf(table, key)?.keys;
    expect(taken(textKey('q'))).toBe('q');
    expect(taken(textKey('x'))).toBe('type');
    expect(taken(ctrlKey('q'))).toBe('^Q');
    expect(taken(ctrlKey('x'))).toBe('any key');
    expect(taken(namedKey('enter'))).toBe('any key');
  });
});
