import { describe, expect, test } from 'vitest';
import {
  beginEntry,
  enteredValue,
  entryKeys,
  visibleChoices,
  type WizardEntry,
} from '../../../../components/config/entry.ts';
import { letters, type Question, question, yesNo } from '../../../../src/config/dialogue/step.ts';
import { type Key, keysOfText, namedKey, pasteKey } from '../../../../src/terminal/key.ts';
import { keyName, ruleOf } from '../../../../src/terminal/key-table.ts';

/** The answer that keys come to; the entry where they come to none. */
function press(
  asked: Question,
  keys: readonly Key[],
  before?: string,
  reveals = false,
): string | WizardEntry {
  let entry = beginEntry(asked, before);
  for (const key of keys) {
    const entered = ruleOf(entryKeys(asked, entry, reveals), key)?.run(keyName(key), key);
    if (entered === undefined) continue;
    if ('answer' in entered) return entered.answer;
    entry = entered.entry;
  }
  return entry;
}

const [down, up, enter] = [namedKey('down'), namedKey('up'), namedKey('enter')];
const choices = (...values: string[]) =>
  values.map((value) => ({ value, label: value, help: `of ${value}` }));
const about = { id: 'q', title: 'q', about: 'Which?' };

describe('a list', () => {
  const twelve = Array.from({ length: 12 }, (_, at) => `item-${'abcdefghijkl'[at]}`);
  const list = question({ ...about, kind: 'list', exclusive: true, choices: choices(...twelve) });

  test.each([
    ['Enter', [enter], 'item-a'],
    ['down', [down, down, up, enter], 'item-b'],
    ['j and k', [...keysOfText('jjk'), enter], 'item-b'],
    ['a digit', [...keysOfText('3'), enter], 'item-c'],
    ['two digits', [...keysOfText('12'), enter], 'item-l'],
    ['a number that no item has begins anew', [...keysOfText('99'), enter], 'item-i'],
    ['a search', [...keysOfText('m-k'), enter], 'item-k'],
    ['a search by what it is', [...keysOfText('of item-e'), enter], 'item-e'],
    ['a search that begins with j', [...keysOfText('/j'), enter], 'item-j'],
    ['End', [namedKey('end'), enter], 'item-l'],
  ])('%s', (_, keys, result) => {
    expect(press(list, keys)).toBe(result);
  });

  test('a search that finds nothing chooses nothing', () => {
    expect(press(list, [...keysOfText('xyz'), enter])).toMatchObject({ field: { text: 'xyz' } });
  });

  test('begins at what was chosen before', () => {
    expect(press(list, [enter], 'item-d')).toBe('item-d');
  });

  test('where other values are allowed, what is typed comes last unless it is an item', () => {
    const open = question({
      ...about,
      kind: 'list',
      choices: choices('us-east-1', 'us-east-2', 'Other'),
    });
    expect(press(open, [...keysOfText('us'), enter])).toBe('us-east-1');
    expect(press(open, [...keysOfText('us'), namedKey('end'), enter])).toBe('us');
    expect(press(open, [enter], 'us')).toBe('us');
    expect(press(open, [...keysOfText('kr'), enter])).toBe('kr');
    expect(press(open, [...keysOfText('other'), enter])).toBe('Other');
    expect(press(open, [enter], 'kr-1')).toBe('kr-1');
    expect(visibleChoices(open, beginEntry(open, 'kr-1')).map(({ value }) => value)).toEqual([
      'kr-1',
    ]);
  });
});

describe('letters', () => {
  test('y and n choose immediately, Enter takes the default', () => {
    const sure = yesNo({ ...about, default: 'false' });
    expect(press(sure, keysOfText('y'))).toBe('true');
    expect(press(sure, keysOfText('N'))).toBe('false');
    expect(press(sure, [enter])).toBe('false');
    expect(press(sure, [up, enter])).toBe('true');
    expect(press(sure, keysOfText('x'))).toMatchObject({ cursor: 1 });
  });

  test('on a remote they are about it; digits move to it', () => {
    const remote = (name: string) => ({ value: `e:${name}`, label: name, target: name });
    const menu = letters({
      ...about,
      choices: [
        remote('a'),
        remote('b'),
        { value: 'd', key: 'd', label: 'Delete' },
        { value: 'n', key: 'n', label: 'New' },
      ],
    });
    expect(press(menu, keysOfText('2d'))).toBe('d:b');
    expect(press(menu, [...keysOfText('2'), enter])).toBe('e:b');
    expect(press(menu, [down, down, ...keysOfText('d')])).toBe('d');
    expect(press(menu, keysOfText('n'))).toBe('n');
  });
});

describe('a filter', () => {
  const remote = (name: string) => ({ value: `e:${name}`, label: name, target: name });
  const menu = letters({
    ...about,
    choices: [
      ...['ab', 'bc', 'cd'].map(remote),
      { value: 'd', key: 'd', label: 'Delete' },
      { value: 'q', key: 'q', label: 'Quit' },
    ],
  });
  const esc = namedKey('escape');
  const shown = (asked: Question, keys: readonly Key[]) =>
    visibleChoices(asked, press(asked, keys) as WizardEntry).map(({ label }) => label);

  test('of the menu shows what has its text; letters and numbers are about what is shown', () => {
    const toC = [...keysOfText('/c'), enter];
    expect(shown(menu, keysOfText('/c'))).toEqual(['bc', 'cd']);
    expect(shown(menu, keysOfText('/dq1'))).toEqual([]);
    expect(press(menu, [...toC, down, enter])).toBe('e:cd');
    expect(press(menu, [...toC, ...keysOfText('2d')])).toBe('d:cd');
    expect(press(menu, [...keysOfText('/xyz'), enter, ...keysOfText('d')])).toBe('d');
    expect(press(menu, [...keysOfText('/xyz'), enter, enter])).toMatchObject({ cursor: 0 });
  });

  test('Esc shows all, with the cursor where it was; so does Enter without a text', () => {
    const all = ['ab', 'bc', 'cd', 'Delete', 'Quit'];
    expect(shown(menu, [...keysOfText('/c'), esc])).toEqual(all);
    expect(press(menu, [...keysOfText('/cd'), enter, esc, enter])).toBe('e:cd');
    expect(shown(menu, [...keysOfText('/'), enter])).toEqual(all);
  });

  test('leaves the cursor on its row when it ends', () => {
    const toBc = [down];
    expect(press(menu, [...toBc, ...keysOfText('/'), esc, enter])).toBe('e:bc');
    expect(press(menu, [...toBc, ...keysOfText('/xyz'), esc, enter])).toBe('e:bc');
    expect(press(menu, [...toBc, ...keysOfText('/cd'), esc, enter])).toBe('e:cd');
  });

  test('is in no question of letters without remotes', () => {
    const sure = yesNo({ ...about, default: 'false' });
    expect(press(sure, keysOfText('/y'))).toBe('true');
  });

  test('a search in ticks sets those that are shown, and the list ends only when all are shown', () => {
    const ticks = question({ ...about, kind: 'ticks', choices: choices('ax', 'bx', 'c') });
    const onlyX = [...keysOfText('/x'), enter];
    expect(press(ticks, [...onlyX, ...keysOfText('ay')])).toMatchObject({
      ticked: new Set(['ax', 'bx']),
    });
    expect(press(ticks, [...onlyX, ...keysOfText('a'), esc, ...keysOfText('y')])).toBe('ax\nbx');
    expect(press(ticks, [...onlyX, ...keysOfText('a '), esc, ...keysOfText('y')])).toBe('bx');
    expect(
      press(ticks, [...keysOfText('a/x'), enter, ...keysOfText('a'), esc, ...keysOfText('y')]),
    ).toBe('c');
  });
});

describe('a login', () => {
  const token = question({ ...about, kind: 'token' });
  const json = '{"access_token":\n"a"}';

  test('a pasted login is one input, with or without the marks of a paste', () => {
    expect(press(token, [pasteKey(`${json}\n`), enter])).toBe(json);
    expect(press(token, [...keysOfText(json.replace('\n', '\r')), enter])).toBe(json);
  });

  test('stays when the user goes back', () => {
    const entry = press(token, [pasteKey('{"a')]) as WizardEntry;
    expect(enteredValue(token, entry)).toBe('{"a');
  });
});

test('a line that is pasted with its end is the line, and is not taken before Enter', () => {
  const text = question(about);
  expect(press(text, [pasteKey('secret\n')])).toMatchObject({ field: { text: 'secret' } });
  expect(press(text, [pasteKey('secret\n'), enter])).toBe('secret');
});

test('the choice of a secret as it is typed does not show it', () => {
  const choices = [{ value: '', label: '(none)', isEmpty: true }];
  const asked = question({ ...about, kind: 'list', secret: true, choices });
  const entry = press(asked, keysOfText('hunter2')) as WizardEntry;
  const own = visibleChoices(asked, entry).at(-1);
  expect(own).toMatchObject({ value: 'hunter2', label: '***' });
  expect(press(asked, [...keysOfText('hunter2'), enter])).toBe('hunter2');
});

describe('a secret that is there', () => {
  const secret = question({ ...about, secret: true, preset: 'stored' });
  const [backspace, left] = [namedKey('backspace'), namedKey('left')];

  test.each([
    ['what is typed replaces it', keysOfText('new'), 'new'],
    ['what is pasted replaces it', [pasteKey('new'), ...keysOfText('er')], 'newer'],
    ['Backspace empties it', [backspace], ''],
    ['arrows keep it', [left], 'stored'],
    ['also before it is replaced', [left, left, ...keysOfText('new')], 'new'],
  ])('%s', (_, keys, result) => {
    expect(press(secret, [...keys, enter])).toBe(result);
    expect(press({ ...secret, preset: '' }, [...keys, enter], 'stored')).toBe(result);
  });

  test('is edited where it can be seen', () => {
    expect(press(secret, [...keysOfText('!'), enter], undefined, true)).toBe('stored!');
    const reference = { ...secret, preset: `\${env:KEY}` };
    expect(press(reference, [...keysOfText('!'), enter])).toBe(`\${env:KEY}!`);
  });
});
