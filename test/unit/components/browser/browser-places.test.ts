import { expect, test } from 'vitest';
import { scannedBrowser } from '../../size-tree/fake-effects.ts';

test.each([
  ['R<enter>', ''],
  ['R/x<enter>', 'a name cannot contain "/"'],
  ['N..<enter>', '".." is not a valid name'],
  ['Nmid<enter>', '"mid" exists already'],
  ['Rx<enter>', 'rename'],
  ['Nmade<enter>', 'make-dir'],
  ['W~/up<enter><enter>', ''],
  ['W~nobody<enter>', 'the home directories of other users'],
])('%s', async (keys, expected) => {
  const browser = await scannedBrowser();
  for (const key of keys.split(/(?=<)/)) {
    browser.keys(key);
    await browser.settle();
  }
  const done = browser.places.map(({ what }) => what);
  if (browser.places.length > 0) expect(done).toEqual([expected]);
  else expect(browser.screen()).toContain(expected);
});

test('a renamed entry keeps its place, its mark and what is in it', async () => {
  const browser = await scannedBrowser();
  browser.keys('jvR');
  browser.keys('-longer<enter>');
  await browser.settle();
  expect(browser.screen()).toMatch(/❯.*mid-longer\//);
  browser.keys('B');
  expect(browser.screen()).toContain('mid-longer/');
  browser.keys('<escape>n/deep<enter>');
  expect(browser.tree.path(browser.tree.children(0).at(-1) ?? 0)).not.toBe('mid');
});

test('an upload says what it replaces; only y begins it', async () => {
  const browser = await scannedBrowser();
  for (const keys of [
    'W~/up<enter>',
    '<enter>',
    '<enter>',
    'n<escape>',
    'W~/up<enter>',
    '<enter>',
  ]) {
    browser.keys(keys);
    await browser.settle();
  }
  expect(browser.places).toHaveLength(0);
  expect(browser.screen()).toContain('replaced');
  browser.keys('y');
  await browser.settle();
  expect(browser.places).toMatchObject([{ what: 'upload' }]);
  expect(browser.places[0]?.names.at(-1)).toBe('replace');
  expect(browser.screen()).toContain('0 files uploaded');
});

test.each([
  ['s', 'leave', 'stays as it is'],
  ['b', 'both', 'gets the new one beside it'],
])('%s about a file of an upload: %s', async (key, answer, text) => {
  const browser = await scannedBrowser();
  for (const keys of ['W~/up<enter>', `${key}<enter>`]) {
    browser.keys(keys);
    await browser.settle();
  }
  expect(browser.screen()).toContain(text);
  browser.keys('y');
  await browser.settle();
  expect(browser.places[0]?.names.at(-1)).toBe(answer);
});

test.each([
  ['n', []],
  ['<escape>', []],
  ['<enter>', []],
  ['y', ['save', 'remove']],
  ['D', ['remove']],
  ['e', ['editor']],
])('after an edit %s does %j; what is kept is named at the end', async (key, done) => {
  const browser = await scannedBrowser();
  browser.keys('jjO');
  await new Promise((resolve) => setImmediate(resolve));
  expect(browser.model.message).toBeUndefined();
  expect(browser.screen()).toContain('Changed since: that is replaced!');
  expect(browser.places.splice(0)).toMatchObject([{ what: 'editor' }]);
  browser.keys(key);
  await new Promise((resolve) => setImmediate(resolve));
  expect(browser.places.map(({ what }) => what)).toEqual(done);
  const isKept = done.length === 0 || key === 'e';
  expect(browser.model.summary().join().includes('/tmp/x')).toBe(isKept);
});

test.each([
  ['dry-run', 'O', 'nothing is edited with --dry-run'],
  ['read-only', 'W', 'nothing is uploaded with --read-only'],
  ['imported', 'R', 'a scan from a file is read-only'],
  ['imported', '!', 'no place for a shell'],
  ['imported', 'jjo', 'a scan from a file has no contents'],
] as const)('%s: %s does nothing and says why', async (restraint, keys, text) => {
  const browser = await scannedBrowser({ restraint });
  browser.keys(keys);
  expect(browser.screen()).toContain(text);
  expect(browser.places).toEqual([]);
});
