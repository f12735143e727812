import { describe, expect, test } from 'vitest';
import type { BrowserEffects, OlderScan } from '../../../src/size-tree/browser-effects.ts';
import { findNode } from '../../../src/size-tree/find-node.ts';
import { ROOT } from '../../../src/size-tree/node.ts';
import { SizeTree } from '../../../src/size-tree/size-tree.ts';
import { TreeFeed } from '../../../src/size-tree/tree-feed.ts';
import { fakeBrowser, fileEntry, scannedBrowser } from './fake-effects.ts';

const OLD = [fileEntry('big/one', 600), fileEntry('gone/x', 500), fileEntry('mid/y', 50)];

/** A browser that shows a scan of before, and scans again. */
async function keptBrowser(read: (tree: SizeTree) => Promise<void>) {
  const tree = new SizeTree();
  const listed: true[] = [];
  const browser = fakeBrowser(
    { tree },
    {
      kept: async () => ({ age: '3 d ago', read: () => read(tree) }),
      listed: async () => {
        listed.push(true);
      },
    },
  );
  await browser.settle();
  return { ...browser, listed };
}

const readOld = async (tree: SizeTree) => new TreeFeed(tree, ROOT).flatPage(OLD);

describe('a scan of before', () => {
  test('is shown with its age, read-only, until the new one is there; the cursor stays', async () => {
    const browser = await keptBrowser(readOld);
    expect(browser.screen()).toMatch(/big\/\n.*gone\/\n.*mid\//);
    expect(browser.screen()).toContain('scan of 3 d ago, scanning again: 0 files');
    for (const keys of ['d', 'vD', 'p', 'P', 'w', 'R', 'N', 'W', 'O']) {
      browser.keys(keys);
      expect(browser.screen()).toMatch(/nothing is \w+ until the path is scanned again/);
    }
    expect([browser.removals, browser.transfers]).toEqual([[], []]);
    browser.keys('jjv');
    const [scan] = browser.scans;
    expect(scan?.into).not.toBe(ROOT);
    scan?.feed.flatPage([fileEntry('big/one', 600), fileEntry('mid/y', 5), fileEntry('new', 99)]);
    scan?.done();
    await browser.settle();
    const shown = browser.screen();
    expect(shown).toMatch(/❯●.* mid\/\nstatus: 2 marked · 3 files, 704 B/);
    expect(shown).not.toContain('gone/');
    expect(browser.listed).toEqual([true]);
    browser.keys('d');
    expect(browser.screen()).toContain('Delete 1 directory: 1 object, 5 B');
  });

  test('stays read-only where the new scan is stopped; r scans everything', async () => {
    const browser = await keptBrowser(readOld);
    browser.keys('lx');
    await browser.settle();
    expect(browser.screen()).toContain('scan of 3 d ago, r scans again');
    browser.keys('d');
    expect(browser.screen()).toContain('nothing is deleted');
    browser.keys('r');
    expect(browser.scans.map(({ path }) => path)).toEqual(['', '']);
    expect(browser.listed).toEqual([]);
    browser.scans[1]?.feed.flatPage(OLD);
    browser.scans[1]?.done();
    await browser.settle();
    expect(browser.screen()).toMatch(/^store:bucket\/big .*\n❯.* one\n/);
    browser.keys('d');
    expect(browser.screen()).toContain('Delete 1 object');
  });

  test('that cannot be read is not shown, and a path that cannot be listed ends the program', async () => {
    const browser = await keptBrowser(async (tree) => {
      await readOld(tree);
      throw new Error('not a scan');
    });
    expect([browser.scans[0]?.into, browser.tree.childCount(ROOT)]).toEqual([ROOT, 0]);
    expect(browser.model.restraint).toBe(undefined);
    const failing = await keptBrowser(readOld);
    failing.scans[0]?.fail(new Error('no such bucket'));
    await expect(failing.model.result).rejects.toThrow('no such bucket');
  });
});

describe('what has changed since a scan of before', () => {
  const older = (unlisted?: string): BrowserEffects['older'] => {
    const tree = new SizeTree();
    const feed = new TreeFeed(tree, ROOT);
    feed.flatPage(OLD);
    if (unlisted !== undefined) tree.setError(feed.dirAt(unlisted), 'denied');
    return async (): Promise<OlderScan> => ({ tree, timeMs: 0 });
  };

  test('grown first, what is gone is dim and cannot be marked or deleted', async () => {
    const browser = await scannedBrowser({}, { older: older() });
    browser.keys('b');
    await browser.settle();
    expect(browser.screen()).toMatch(
      /changes by growth down\n❯ +\+300 {3}B +\+1 .* big\/\n +\+200 {3}B +\+1 .* mid\/\n +\+10 {3}B new .* small\n +-500 {3}B gone +-1 .* gone\/\nstatus: \+10 B, \+2 files since 1970-/,
    );
    browser.keys('jjj');
    for (const key of ['v', 'd', 'i']) {
      browser.keys(key);
      expect(browser.screen()).toContain('it is gone: only the older scan has it');
    }
    browser.keys('<enter>');
    expect(browser.screen()).toMatch(/store:bucket\/gone .*\n❯ .* x\n/);
    browser.keys('hs');
    expect(browser.screen()).toMatch(/by growth up\n❯.* gone\//);
    browser.keys('s<home><enter>');
    expect(browser.screen()).toMatch(/big .*\n❯ +\+300 {3}B new .* two\n/);
    browser.keys('vb');
    expect(browser.screen()).toMatch(/^store:bucket\/big \|.*\n.* one\n❯●.* two\n/);
    expect(browser.model.marks.size).toBe(1);
  });

  test('a directory that a scan could not list has a mark: its difference is not known', async () => {
    const browser = await scannedBrowser({}, { older: older('big') });
    browser.tree.setError(findNode(browser.tree, ROOT, 'mid') ?? -1, 'denied');
    browser.keys('b');
    await browser.settle();
    expect(browser.screen()).toMatch(
      /\+300 {3}B ! .* big\/\n +\+200 {3}B ! .* mid\/\n.* new .* small\n/,
    );
  });

  test('waits for the scan, follows deletions, and says where there is nothing to compare with', async () => {
    const browser = fakeBrowser({ showsChanges: true }, { older: older() });
    await browser.settle();
    expect(browser.screen()).toContain('waiting for the scan');
    browser.scans[0]?.feed.flatPage([...OLD, fileEntry('new/a', 5), fileEntry('new/b', 6)]);
    browser.scans[0]?.done();
    await browser.settle();
    expect(browser.screen()).toMatch(/❯ +\+11 {3}B new .* new\/\nstatus: \+11 B/);
    browser.keys('dy');
    await browser.settle();
    browser.removals[0]?.report.gone(browser.removals[0].nodes);
    await browser.settle();
    expect(browser.screen()).toContain('no changes');
    const none = await scannedBrowser();
    none.keys('b');
    await none.settle();
    expect(none.screen()).toContain('no earlier scan of this path yet');
    none.keys('b');
    expect(none.screen()).toMatch(/❯.* big\//);
  });
});
