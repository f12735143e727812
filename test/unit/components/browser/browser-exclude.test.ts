import { expect, test } from 'vitest';
import { ROOT } from '../../../../src/size-tree/node.ts';
import { SizeTree } from '../../../../src/size-tree/size-tree.ts';
import { TreeFeed } from '../../../../src/size-tree/tree-feed.ts';
import { fileEntry, scannedBrowser } from '../../size-tree/fake-effects.ts';

const status = (screen: string) => screen.split('\n').find((line) => line.startsWith('status: '));
const rows = (screen: string) =>
  screen
    .split('\n')
    .slice(1, -2)
    .map((line) =>
      line
        .replace(/[▏▎▍▌▋▊▉█▒░]+/g, '')
        .replace(/ +/g, ' ')
        .trim(),
    );

test('X leaves an entry out of all sums, and counts it again', async () => {
  const browser = await scannedBrowser();
  browser.keys('X');
  expect(browser.tree.size(ROOT)).toBe(260);
  expect(rows(browser.screen())).toEqual(['❯ < 900 B big/', '250 B 96% mid/', '10 B 4% small']);
  expect(status(browser.screen())).toBe(
    'status: 1 excluded, 900 B (X) · 3 files, 260 B in 3 directories',
  );
  browser.keys('jvjvX');
  expect(browser.tree.size(ROOT)).toBe(0);
  expect(browser.model.marks.size).toBe(0);
  browser.keys('kkX');
  expect(browser.tree.size(ROOT)).toBe(900);
  browser.keys('e');
  expect(rows(browser.screen())).toEqual(['❯ 900 B 100% big/']);
  browser.keys('eI');
  expect(browser.tree.size(ROOT)).toBe(1160);
  expect(status(browser.screen())).not.toContain('excluded');
  browser.keys('I');
  expect(browser.screen()).toContain('nothing is excluded');
});

test('the status line is cut where it is too narrow, with exclusions and without', async () => {
  const browser = await scannedBrowser();
  const narrow = { columns: 24, rows: 12 };
  expect(status(browser.screen(narrow))).toBe('status: 5 files, 1.1 KiB in 3 d…');
  browser.keys('X');
  expect(status(browser.screen(narrow))).toBe('status: 1 excluded, 900 B (X)');
});

test('what is excluded stays so after a rescan, and is in no view', async () => {
  const browser = await scannedBrowser();
  browser.keys('lXhr');
  const [, again] = browser.scans;
  again?.feed.flatPage([fileEntry('big/one', 7000), fileEntry('big/two', 300)]);
  again?.done();
  await browser.settle();
  expect(browser.tree.size(ROOT)).toBe(300);
  browser.keys('L');
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  expect(rows(browser.screen()).slice(1)).toEqual(['❯ 300 B big/two']);
});

test('nothing is done to a directory whose sums lack what is excluded below it', async () => {
  const browser = await scannedBrowser();
  browser.keys('lXh');
  for (const key of ['d', 'p', 'w', 'R']) {
    browser.keys(key);
    expect(status(browser.screen())).toContain('1 excluded entry below: the sizes shown are not');
  }
  browser.keys('ld');
  expect(browser.screen()).toContain('Delete 1 object: 600 B');
});

test('H hides names by pattern, and their sizes stay in the sums', async () => {
  const browser = await scannedBrowser();
  browser.keys('HB* s?all<enter>');
  expect(rows(browser.screen()).map((line) => line.split(' ').at(-1))).toEqual(['big/', 'mid/']);
  expect(browser.screen()).toContain('| without B* s?all, largest first');
  expect(browser.tree.size(ROOT)).toBe(1160);
  browser.keys('Hx');
  expect(browser.screen()).toContain('hide names B* s?allx');
  browser.keys('<escape>');
  expect(rows(browser.screen())).toHaveLength(3);
});

test('changes leave out of the older scan what is excluded', async () => {
  const older = new SizeTree();
  new TreeFeed(older, ROOT).flatPage([fileEntry('big/one', 500), fileEntry('mid/y', 40)]);
  const effects = { older: async () => ({ tree: older, timeMs: Number.NaN }) };
  const browser = await scannedBrowser({}, effects);
  browser.keys('Xb');
  await browser.settle();
  browser.screen();
  expect([older.size(ROOT), older.excluded.size]).toEqual([40, 1]);
  browser.keys('bIb');
  await browser.settle();
  browser.screen();
  expect(older.size(ROOT)).toBe(540);
});
