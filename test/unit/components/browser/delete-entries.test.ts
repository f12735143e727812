import { expect, test } from 'vitest';
import { fileEntry, scannedBrowser } from '../../size-tree/fake-effects.ts';

test('an object that could not be deleted is tried again, not the directory of its name', async () => {
  const entries = [fileEntry('d/x', 600), fileEntry('d', 10)];
  const browser = await scannedBrowser({}, {}, entries);
  browser.keys('jdy');
  await browser.settle();
  const [removal] = browser.removals;
  const [node = 0] = removal?.nodes ?? [];
  removal?.report.failed(node, 'd', 'access denied');
  removal?.done();
  await browser.settle();
  browser.keys('T<enter>r');
  expect(browser.screen()).toContain('Delete 1 object: 10 B');
});

test('a directory with a mount point is neither deleted nor moved, and the reason names it', async () => {
  const entries = [fileEntry('d/m/x', 600), fileEntry('d/y', 10), fileEntry('e', 1)];
  const browser = await scannedBrowser({}, { mountPoints: () => ['d/m'] }, entries);
  browser.keys('d');
  expect(browser.screen()).toContain('not deleted: d/m is a mount point with 1 object: unmount it');
  browser.keys('vP');
  expect(browser.screen()).toContain('not moved: d/m is a mount point with 1 object: unmount it');
  browser.keys('jd');
  expect(browser.screen()).toContain('Delete 1 object: 1 B');
  expect(browser.removals).toEqual([]);
});

test.each([
  ['moves', true, 'y', 'trash'],
  ['moves', true, '!', 'nowhere'],
  ['moves', false, 't', 'trash'],
  ['moves', false, 'y', 'nowhere'],
  ['versions', false, 'y', 'trash'],
] as const)(
  'a deletion goes where the question says: %s, trash first %s, key %s',
  async (way, isFirst, key, to) => {
    const trash = {
      isFirst,
      way: async () => way,
      list: async () => [],
      restore: async () => {},
      empty: async () => {},
    };
    const browser = await scannedBrowser({}, { trash });
    browser.keys('d');
    await browser.settle();
    browser.screen();
    browser.keys(key);
    await browser.settle();
    expect(browser.removals.map((removal) => removal.to)).toEqual([to]);
  },
);
