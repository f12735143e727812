import { expect } from 'vitest';
import { deleteOne } from '../../src/core/remote-calls.ts';
import { type ContractTest, promise, promiseWithout } from './contract-test.ts';
import { OP, type World } from './contract-world.ts';

/** Names as syncer has them inside (see `src/names/name-encoding.ts`), each of which every store must hold. */
const ODD_NAMES = [
  ' leading space',
  'trailing space ',
  '  ',
  'two  spaces',
  'percent%20and%',
  'plus+plus',
  'amp&amp;lt<gt>',
  'hash#fragment',
  'question?query=1',
  `single'double"back\``,
  'semi;colon:comma,',
  'star*pipe|caret^',
  'brace{}[]()',
  'dollar$HOME',
  'at@equals=',
  'backslash\\name',
  'new␊line',
  'tab␉return␍bell␇',
  'unit␟separator␁start',
  'delete␡',
  'literal ‛␊ symbol',
  'full／width slash',
  'literal ‛／ slash',
  '．',
  '．．',
  '‛．',
  '...',
  '.hidden',
  'ends in dot.',
  '~',
  '~$lock.docx',
  '-dash',
  '--help',
  '‛‛quoted',
  '‛‛FF',
  'emoji 😀 family 👨‍👩‍👧',
  '中文 العربية עברית ไทย',
  '\u00a0nbsp\u2028line\ufeffbom',
  'private \ue000 \ufffd \uffff \u{10ffff}',
  'nul.txt',
];

/** Names of as many bytes as a disk holds. */
const LONG_NAMES = ['x'.repeat(255), 'é'.repeat(127), '😀'.repeat(63)];

/** Names that mean something else to some systems. */
const RESERVED_NAMES = ['CON', 'desktop.ini'];

const NOT_UTF8 = ['latin1 \udce9t\udce9', '\udcff', '\udc80\udcff end', 'cut \udcf0\udc9f\udc98'];

async function roundTrip(world: World, names: readonly string[]): Promise<void> {
  for (const name of names) await world.put(name, `content of ${name}`);
  expect((await world.names()).sort()).toEqual([...names].sort());
  for (const name of names) {
    expect(await world.text(name)).toBe(Buffer.from(`content of ${name}`).toString());
    expect(await world.remote.stat(world.at(name), OP)).toMatchObject({ path: world.at(name) });
  }
  for (const name of names) await deleteOne(world.remote, await world.file(name), OP);
  for (const name of names) expect(await world.remote.stat(world.at(name), OP)).toBeUndefined();
}

async function holdDirs(world: World, names: readonly string[]): Promise<void> {
  for (const name of names) await world.put(`${name}/${name}`, name);
  expect((await world.names()).sort()).toEqual(names.map((name) => `${name}/`).sort());
  for (const name of names) {
    expect(await world.names(name)).toEqual([name]);
    expect(await world.remote.stat(world.at(name), OP)).toMatchObject({
      kind: 'dir',
      path: world.at(name),
    });
  }
}

export const nameTests: readonly ContractTest[] = [
  promise('holds files with odd names', ['oddNames'], (world) => roundTrip(world, ODD_NAMES)),

  promise('holds files with long names', ['longNames'], (world) => roundTrip(world, LONG_NAMES)),

  promise('holds names that some systems keep for themselves', ['reservedNames'], (world) =>
    roundTrip(world, RESERVED_NAMES),
  ),

  promise('holds file names that are not UTF-8', ['notUtf8'], (world) =>
    roundTrip(world, NOT_UTF8),
  ),

  promise('holds names that differ only in case', ['caseSensitive'], (world) =>
    roundTrip(world, ['name', 'Name', 'NAME', 'straße', 'STRASSE']),
  ),

  promiseWithout('caseSensitive', 'takes names that differ only in case for one', async (world) => {
    await world.put('Name', 'one');
    await world.put('NAME', 'two');
    expect(await world.names()).toHaveLength(1);
    expect(await world.text('name')).toBe('two');
  }),

  promise('holds names that differ only in Unicode form', ['unicodeForms'], (world) =>
    roundTrip(world, ['\u00e9', 'e\u0301']),
  ),

  promise(
    'holds names that differ only in Unicode form and case',
    ['unicodeForms', 'caseSensitive'],
    (world) => roundTrip(world, ['\u212b', '\u00c5']),
  ),

  promise('holds directories with odd names', ['oddNames'], (world) => holdDirs(world, ODD_NAMES)),

  promise('holds directory names that are not UTF-8', ['notUtf8'], async (world) => {
    await holdDirs(world, NOT_UTF8);
  }),

  promise('holds long paths', ['longNames', 'longPaths'], (world) => holdDirs(world, LONG_NAMES)),

  promise('holds a path of many directories', [], async (world) => {
    const path = `${Array.from({ length: 40 }, (_, i) => `level-${i}`).join('/')}/file`;
    await world.put(path, 'deep');
    expect(await world.text(path)).toBe('deep');
  }),
];
