import { expect, test } from 'vitest';
import { KEPT_SAMPLE, scannedBrowser } from '../../size-tree/fake-effects.ts';

const opened = () => scannedBrowser({}, {}, KEPT_SAMPLE);

test('old versions, markers and uploads stand beside their object, with a sign and a bar in three parts', async () => {
  const browser = await opened();
  const top = browser.screen({ columns: 70, rows: 12 });
  expect(top).toMatch(/990 {3}B {2}99% █{3}▒{3}░{4} {2}dir\//);
  browser.keys('<right>n');
  const lines = browser.screen().split('\n').slice(1, 6);
  expect(lines.map((line) => `${line.slice(2, 3)} ${line.replace(/.*[█▒░%] +/, '')}`)).toEqual([
    '  a',
    'v a @1970-01-01 00:00:01Z',
    'x gone @1970-01-01 00:00:03Z',
    'v gone @1970-01-01 00:00:04Z',
    'u up @1970-01-01 00:00:02Z',
  ]);
});

test.each([
  ['of a directory only old versions', 'do', 'Delete 2 old versions: 290 B', ['id1', 'id4']],
  ['of a directory only uploads', 'du', 'Delete 1 unfinished upload: 400 B', ['id2']],
  ['a directory with everything', 'de', 'Delete 1 directory: 5 entries, 990 B', undefined],
  ['one old version', '<right>n<home><down>d', 'Delete 1 old version: 200 B', ['id1']],
  ['one upload', '<right>n<end>d', 'Delete 1 unfinished upload: 400 B', ['id2']],
  ['an object with its versions', '<right>n<home>de', 'Delete 2 entries: 500 B', ['id0', 'id1']],
  ['a deleted object', '<right>n<home><down><down>de', 'Delete 2 entries: 90 B', ['id3', 'id4']],
])('deletes %s', async (_, keys, question, ids) => {
  const browser = await opened();
  browser.keys(keys);
  expect(browser.screen()).toContain(question);
  expect(browser.screen()).toContain('This cannot be undone');
  browser.keys('<enter>');
  expect(browser.removals).toEqual([]);
  const again = await opened();
  again.keys(`${keys}y`);
  await again.settle();
  const nodes = again.removals[0]?.nodes ?? [];
  if (ids !== undefined)
    expect(nodes.map((node) => again.tree.keptAs(node)?.id).sort()).toEqual(ids);
  else expect(again.removals[0]?.paths).toEqual(['dir']);
});

test('Enter and y choose nothing where there is something to choose', async () => {
  const browser = await opened();
  browser.keys('dydd');
  expect(browser.screen()).toContain('Delete what');
  browser.keys('<enter><enter>');
  await browser.settle();
  expect(browser.removals).toEqual([]);
});

test('only current objects are copied, and nothing is moved', async () => {
  const browser = await opened();
  browser.keys('<right>n<home><down>p');
  expect(browser.screen()).toContain('only current objects are copied');
  browser.keys('<home>P');
  expect(browser.screen()).toContain('not moved: old versions would stay');
});
