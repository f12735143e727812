import { describe, expect, test } from 'vitest';
import { SyncerError } from '../../../../src/core/errors.ts';
import { ROOT } from '../../../../src/size-tree/node.ts';
import { SizeTree } from '../../../../src/size-tree/size-tree.ts';
import { TreeFeed } from '../../../../src/size-tree/tree-feed.ts';
import { fakeBrowser, fileEntry, scannedBrowser } from '../../size-tree/fake-effects.ts';

const names = (screen: string) =>
  screen
    .split('\n')
    .slice(1, -2)
    .map((line) => `${line.startsWith('❯') ? '>' : ''}${line.slice(line.lastIndexOf(' ') + 1)}`);

describe('the list of the browser', () => {
  test('is there before the first answer and fills in', async () => {
    const browser = fakeBrowser();
    expect(browser.screen()).toContain('listing');
    expect(browser.screen()).toContain('Scanning: 0 files, 0 B');
    browser.scans[0]?.feed.flatPage([fileEntry('a/x', 5)]);
    expect(browser.screen()).toMatch(/❯ +5 +B 100% █{16} {2}a\//);
    browser.scans[0]?.done();
    await browser.settle();
    expect(browser.screen()).toContain('status: 1 file, 5 B in 1 directory');
  });

  test('says what the scan waits for, and nothing of it afterwards', async () => {
    const refused = 'throttled, waiting 4 s: list bucket: the server asks to slow down (503)';
    const browser = fakeBrowser({}, { waiting: () => refused });
    const wide = browser.screen({ columns: 120, rows: 12 });
    expect(wide).toMatch(/status: Scanning: 0 files, 0 B.* · throttled, waiting 4 s: .*\(503\)\n/);
    expect(browser.screen({ columns: 60, rows: 12 })).toMatch(/0 files, 0 B.* · thr.*…\n/);
    browser.scans[0]?.done();
    await browser.settle();
    expect(browser.screen()).not.toContain('throttled');
  });

  test('the cursor stays on its entry and its line while sizes rise', () => {
    const browser = fakeBrowser();
    const { feed } = browser.scans[0] ?? {};
    feed?.flatPage([fileEntry('a/x', 30), fileEntry('b/x', 20), fileEntry('c/x', 10)]);
    expect(names(browser.screen())).toEqual(['>a/', 'b/', 'c/']);
    browser.keys('j');
    feed?.flatPage([fileEntry('c/y', 100)]);
    expect(names(browser.screen())).toEqual(['c/', 'a/', '>b/']);
  });

  test('a cursor that nobody has used stays at the top', () => {
    const browser = fakeBrowser();
    const { feed } = browser.scans[0] ?? {};
    feed?.flatPage([fileEntry('a/x', 30)]);
    expect(names(browser.screen())).toEqual(['>a/']);
    feed?.flatPage([fileEntry('b/y', 100)]);
    expect(names(browser.screen())).toEqual(['>b/', 'a/']);
  });

  test.each(['d', '<enter>', 'i'])('%s says that an empty directory has no entry', async (key) => {
    const browser = await scannedBrowser({}, {}, []);
    browser.keys(key);
    expect(browser.screen()).toContain('status: there is no entry here');
  });

  test('goes into directories and back to where it was', async () => {
    const browser = await scannedBrowser();
    browser.keys('j<enter>');
    expect(browser.screen()).toMatch(/^store:bucket\/mid \|/);
    expect(names(browser.screen())).toEqual(['>deep/', 'y']);
    browser.keys('<right><left>h');
    expect(names(browser.screen())).toEqual(['big/', '>mid/', 'small']);
    browser.keys('<left>');
    expect(browser.screen()).toContain('this is the top');
    browser.keys('l<escape>');
    expect(browser.screen()).toMatch(/^store:bucket \|/);
  });

  test.each([
    ['n', ['>big/', 'mid/', 'small'], '| by name\n'],
    ['nn', ['small', 'mid/', '>big/'], 'by name, last first'],
    ['s', ['small', 'mid/', '>big/'], 'smallest first'],
    ['C', ['>big/', 'mid/', 'small'], 'most files first'],
    ['A', ['>big/', 'mid/', 'small'], 'largest average first'],
    ['M', ['>big/', 'mid/', 'small'], 'newest first'],
  ])('order %s', async (keys, expected, text) => {
    const browser = await scannedBrowser();
    browser.keys(keys);
    expect(names(browser.screen())).toEqual(expected);
    expect(browser.screen()).toContain(text);
  });

  test('e hides names that begin with a dot', async () => {
    const tree = new SizeTree();
    const feed = new TreeFeed(tree, ROOT);
    feed.flatPage([fileEntry('.dot/.x', 5), fileEntry('.rc', 9), fileEntry('a.b', 1)]);
    const browser = fakeBrowser({ tree, isScanned: true });
    browser.keys('e');
    expect(names(browser.screen())).toEqual(['>a.b']);
    expect(browser.screen()).toContain('without dotfiles, largest first');
    expect(browser.screen()).toContain('3 files, 15 B');
    browser.keys('e<home>j<enter>e');
    expect(browser.screen()).toContain('only hidden names (e and H show them)');
  });

  test('G, End and Home go to the last and the first; t puts directories before files', async () => {
    const browser = await scannedBrowser();
    browser.keys('G');
    expect(names(browser.screen())).toEqual(['big/', 'mid/', '>small']);
    browser.keys('<home>s');
    expect(names(browser.screen())).toEqual(['small', 'mid/', '>big/']);
    browser.keys('t');
    expect(names(browser.screen())).toEqual(['mid/', '>big/', 'small']);
    expect(browser.screen()).toContain('directories, then smallest first');
    browser.keys('a');
    expect(browser.screen()).toContain('only local disks have a disk usage');
  });

  test('figures are shown and hidden', async () => {
    const browser = await scannedBrowser();
    browser.keys('cZu');
    expect(browser.screen().split('\n').slice(1, 3)).toEqual([
      '                   size                        files   average  name',
      '❯                   900  78% ████████████████      2   450   B  big/',
    ]);
    browser.keys('cZgggumm');
    expect(browser.screen()).toContain('size    age  name');
    browser.keys('mm');
    expect(browser.screen().split('\n').slice(1, 3)).toEqual([
      '         size         modified  name',
      `❯     900   B ${' '.repeat(16)}  big/`,
    ]);
  });

  test('filters as one types; Esc shows all', async () => {
    const browser = await scannedBrowser();
    browser.keys('/MA');
    expect(browser.screen()).toContain('no matching name');
    browser.keys('<backspace><backspace>ma');
    expect(names(browser.screen())).toContain('>small');
    expect(browser.screen()).toContain('/ ma');
    browser.keys('<enter>j');
    expect(browser.screen()).toContain('/ma 1 of 3');
    browser.keys('<escape>');
    expect(names(browser.screen())).toEqual(['big/', 'mid/', '>small']);
  });

  test('the cursor stays on its entry when a filter ends', async () => {
    const browser = await scannedBrowser();
    browser.keys('/ma<escape>');
    expect(names(browser.screen())).toEqual(['big/', 'mid/', '>small']);
    browser.keys('k/zzz<escape>');
    expect(names(browser.screen())).toEqual(['big/', '>mid/', 'small']);
    browser.keys('/<escape>');
    expect(names(browser.screen())).toEqual(['big/', '>mid/', 'small']);
  });

  test('a listing that failed is marked, and e tells why', async () => {
    const browser = await scannedBrowser();
    const [, mid] = browser.tree.children(0);
    browser.tree.setError(mid as number, 'access denied\x1b[31m');
    expect(browser.screen()).toMatch(/ {2}! .*mid\//);
    expect(browser.screen()).toContain('1 error (E)');
    browser.keys('E');
    expect(browser.screen()).toContain('! mid/\n    access denied␛[31m');
  });

  test('where the first listing fails there is nothing to browse', async () => {
    const browser = fakeBrowser();
    browser.scans[0]?.fail(new SyncerError('directory-not-found', 'no such directory'));
    await expect(browser.model.result).rejects.toThrow('no such directory');
  });

  test('r lists a directory again; marks and cursor find their entries', async () => {
    const browser = await scannedBrowser();
    browser.keys('l v r'.replaceAll(' ', ''));
    const [, again] = browser.scans;
    expect(again?.path).toBe('big');
    again?.feed.flatPage([fileEntry('one', 5), fileEntry('new', 1000)]);
    expect(names(browser.screen())).toEqual(['>one', 'two']);
    again?.done();
    await browser.settle();
    expect(names(browser.screen())).toEqual(['new', '>one']);
    expect(browser.screen()).toContain('1 marked');
    expect(browser.tree.size(0)).toBe(1265);
  });

  test('a directory that is gone when it is listed again goes from the list', async () => {
    const browser = await scannedBrowser();
    browser.keys('lr');
    browser.scans[1]?.fail(new SyncerError('directory-not-found', 'gone'));
    await browser.settle();
    expect(names(browser.screen())).toEqual(['>mid/', 'small']);
  });

  test('x stops the scan', async () => {
    const browser = fakeBrowser();
    browser.keys('x');
    await browser.settle();
    expect(browser.screen()).toContain('scan stopped');
  });

  test('pages over the list', async () => {
    const browser = await scannedBrowser();
    browser.keys('i');
    await browser.settle();
    expect(browser.screen()).toContain('storage class  STANDARD');
    browser.keys('<escape>jj<enter>');
    await browser.settle();
    expect(browser.screen()).toContain('first line\nsecond line');
    browser.keys('x');
    expect(browser.screen()).toContain('00000000  66 69 72 73 74');
    browser.keys('<escape>');
    browser.keysOver('?');
    expect(browser.screen()).toContain('move up and down');
    browser.keysOver('<escape>');
    browser.keys('y');
    expect(browser.copied).toEqual(['store:bucket/small']);
    expect(browser.screen()).toContain('path copied to the clipboard: store:bucket/small');
  });
});
