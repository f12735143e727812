import { describe, expect, test } from 'vitest';
import { BrowserView } from '../../../../components/browser/browser-view.tsx';
import { factsText } from '../../../../components/browser/change-entries.ts';
import { SyncerError } from '../../../../src/core/errors.ts';
import { ROOT } from '../../../../src/size-tree/node.ts';
import { SizeTree } from '../../../../src/size-tree/size-tree.ts';
import { ctrlKey, textKey } from '../../../../src/terminal/key.ts';
import { fakeBrowser, fileEntry, scannedBrowser } from '../../size-tree/fake-effects.ts';
import { showScreen } from '../draw-screen.tsx';

describe('deleting in the browser', () => {
  test('asks, shows what goes, and n, Esc and Enter leave it', async () => {
    const browser = await scannedBrowser();
    for (const no of ['n', 'N', 'Y<escape>', '<escape>', '<enter>', 'q']) {
      browser.keys('jd');
      expect(browser.screen()).toContain('Delete 1 directory: 2 objects, 250 B');
      expect(browser.screen()).toMatch(/250 B {2}mid\/ {2}2 objects/);
      browser.keys(`${no}k`);
      expect(browser.screen()).toMatch(/^store:bucket \|/);
    }
    expect(browser.removals).toEqual([]);
  });

  test('goes on in the background, and tells the number of those really gone', async () => {
    const browser = await scannedBrowser();
    browser.keys('dy');
    await browser.settle();
    const [removal] = browser.removals;
    expect(removal?.paths).toEqual(['big']);
    expect(browser.screen()).toContain('Deleting 0 of 2 objects');
    const [one] = browser.tree.children(removal?.nodes[0] as number);
    removal?.report.gone([one as number]);
    expect(browser.screen()).toContain('Deleting 1 of 2 objects, 600 B');
    expect(browser.tree.size(0)).toBe(560);
    removal?.report.failed(0, 'big/two', 'access denied');
    removal?.done();
    await browser.settle();
    expect(browser.screen()).toContain('1 object deleted, 600 B, 1 failed');
    browser.keys('T<enter>');
    expect(browser.screen()).toContain('  access denied\n    big/two\n');
    browser.keysOver('?');
    expect(browser.screen()).toContain('r  try again');
    browser.keysOver('?');
    browser.keys('r<enter>');
    await browser.settle();
    expect(browser.removals).toHaveLength(1);
    browser.keys('<enter>r');
    expect(browser.screen()).toContain('Delete 1 object: 300 B');
    browser.keys('y');
    await browser.settle();
    expect(browser.removals[1]?.paths).toEqual(['big/two']);
    browser.removals[1]?.report.gone(browser.removals[1].nodes);
    browser.removals[1]?.done();
    await browser.settle();
    expect(browser.model.summary()).toEqual([
      'delete big: 1 object deleted, 600 B',
      'delete big/two: 1 object deleted, 300 B',
    ]);
  });

  test('where nothing failed, nothing can be tried again', async () => {
    const browser = await scannedBrowser();
    browser.keys('dy');
    await browser.settle();
    browser.removals[0]?.done();
    await browser.settle();
    browser.keys('T<enter>');
    expect(browser.screen()).toContain('Nothing failed.');
    expect(browser.screen()).not.toContain('try again');
  });

  test('what was gone already is not counted', async () => {
    const browser = await scannedBrowser();
    browser.keys('dy');
    await browser.settle();
    browser.removals[0]?.report.vanished(browser.removals[0].nodes);
    browser.removals[0]?.done();
    await browser.settle();
    expect(browser.model.summary()).toEqual(['delete big: 1 entry already gone']);
    expect(browser.screen()).toContain('1 entry already gone');
    expect(browser.tree.files(0)).toBe(3);
  });

  test('marks survive a change of directory; D takes all, nothing twice', async () => {
    const browser = await scannedBrowser();
    browser.keys('j<enter>v<left>v<home>lv');
    expect(browser.screen()).toContain('3 marked');
    browser.keys('B');
    expect(browser.screen()).toContain('3 entries');
    expect(browser.screen()).toContain('status: 3 files, 850 B in total');
    browser.keys('<escape>D');
    expect(browser.screen()).toContain('Delete 1 object and 1 directory: 3 objects, 850 B');
    browser.keys('y');
    await browser.settle();
    expect(browser.removals[0]?.paths).toEqual(['mid', 'big/one']);
  });

  test('a range is marked from where it began to the cursor', async () => {
    const browser = await scannedBrowser();
    browser.keys('Vj');
    expect(
      browser
        .screen()
        .split('\n')
        .filter((line) => line.includes('●')),
    ).toHaveLength(2);
    browser.keys('<escape>');
    expect(browser.screen()).not.toContain('●');
    browser.keys('VkV');
    expect(browser.screen()).toContain('2 marked');
    browser.keys('UVjjD');
    expect(browser.screen()).toContain('nothing is marked'.slice(0, 0) || 'Delete');
  });

  test.each([
    ['dry-run', 'would be deleted'],
    ['read-only', 'nothing is deleted with --read-only'],
    ['imported', 'nothing can be deleted'],
  ] as const)('%s deletes nothing and says so', async (restraint, text) => {
    const browser = await scannedBrowser({ restraint });
    browser.keys('d');
    if (restraint === 'dry-run') browser.keys('y');
    expect(browser.screen()).toContain(text);
    await browser.settle();
    expect([browser.removals.length, browser.tree.files(0)]).toEqual([0, 5]);
  });

  test.each([
    { columns: 10, rows: 3 },
    { columns: 10, rows: 24 },
    { columns: 80, rows: 3 },
    { columns: 120, rows: 4 },
  ])('a question that cannot be read deletes nothing: %j', async (size) => {
    const browser = await scannedBrowser();
    const { screen, draw } = showScreen(browser.alone, BrowserView);
    browser.keys('d');
    draw(size);
    screen.press(textKey('y'));
    await browser.settle();
    expect(browser.removals).toEqual([]);
    draw({ columns: 40, rows: 12 });
    screen.press(textKey('y'));
    await browser.settle();
    expect(browser.removals).toHaveLength(1);
  });

  test('what a stopped task may have deleted is told', async () => {
    const browser = await scannedBrowser();
    browser.keys('dy');
    await browser.settle();
    const [removal] = browser.removals;
    removal?.report.unknown(removal.nodes);
    browser.keys('Tx');
    await browser.settle();
    expect(browser.screen()).toContain('0 objects deleted, 0 B, result unknown for 1 object');
  });

  test('what is not scanned to its end is said to hold more', () => {
    const browser = fakeBrowser();
    browser.tree.setPartial(0, true);
    browser.scans[0]?.feed.flatPage([fileEntry('a/x', 5)]);
    browser.screen();
    browser.keys('d');
    expect(browser.screen()).toContain('Delete 1 directory: at least 1 object, 5 B');
    expect(browser.screen()).toContain('anything else in it is deleted too');
  });

  test('a task can be stopped, and leaving asks while one runs', async () => {
    const browser = await scannedBrowser();
    browser.keys('dyq');
    expect(browser.screen()).toContain('1 task will be stopped');
    browser.keys('nTx');
    await browser.settle();
    expect(browser.screen()).toContain('stopped: 0 objects deleted');
    expect(browser.removals.map(({ signal }) => signal.aborted)).not.toContain(false);
    browser.keys('<escape>q');
    await expect(browser.model.result).resolves.toBeUndefined();
  });

  test('leaving stops what runs', async () => {
    const browser = await scannedBrowser();
    browser.keys('dy');
    await browser.settle();
    await browser.model.close();
    expect(browser.removals[0]?.signal.aborted).toBe(true);
  });
});

describe('copying in the browser', () => {
  test('asks where to and puts it into the queue', async () => {
    const browser = await scannedBrowser();
    browser.keys('pother:q dir<enter>');
    await browser.settle();
    const [transfer] = browser.transfers;
    expect(transfer?.request).toMatchObject({ verb: 'copy', dest: 'other:q dir' });
    transfer?.report.found(2, 900);
    transfer?.report.bytes(600);
    transfer?.report.done(1);
    browser.keys('k');
    expect(browser.screen()).toContain('Copying 1 of 2 files, 600 B');
    transfer?.done();
    await browser.settle();
    expect(browser.screen()).toContain('1 file copied, 600 B');
  });

  test('a copy of what is there already says so', async () => {
    const browser = await scannedBrowser();
    browser.keys('pother:q dir<enter>');
    await browser.settle();
    const [transfer] = browser.transfers;
    transfer?.report.found(2, 900);
    transfer?.done();
    await browser.settle();
    expect(browser.screen()).toContain('Nothing to copy: 2 files there already');
  });

  const fact = (bytes: number, timeMs: number) => ({ bytes, timeMs });

  test('sizes of two files that would read the same are in bytes', () => {
    const [there, here] = [fact(400_000, Number.NaN), fact(400_008, Number.NaN)];
    expect(factsText(there, here)).toBe('400,000 bytes');
    expect(factsText(here, there)).toBe('400,008 bytes');
    expect(factsText(there, there)).toBe('390.6 KiB');
  });

  const THERE = [
    { path: 'big/newer', here: fact(70, 2000), there: fact(8, 1000) },
    { path: 'big/older', here: fact(70, 1000), there: fact(9, 2000) },
    { path: 'big/third', here: fact(70, 1000), there: fact(9, 1000) },
  ];

  test('asks about each file that is there already, then whether to begin', async () => {
    const asked: string[][] = [];
    const browser = await scannedBrowser(
      {},
      {
        async conflicts({ verb, dest }) {
          asked.push([verb, dest]);
          return THERE;
        },
      },
    );
    const press = async (keys: string) => {
      browser.keys(keys);
      await browser.settle();
    };
    await press('pother:<enter>');
    expect(asked).toEqual([['copy', 'other:']]);
    expect(browser.screen()).toMatch(
      /^Copy \| 3 files there\n❯ replace .* 8 +B → +70 +B +newer +big\/newer\n.*older +big\/older\n/,
    );
    await press('na');
    expect(browser.screen()).toMatch(/replace .*newer\n.*skip .*older\n.*skip .*third/);
    await press('jjb<enter>');
    const question = browser.screen();
    expect(question).toContain('1 file there is replaced: undo does not bring them back.');
    expect(question).toContain('1 file there gets the new one beside it.');
    expect(question).toContain('1 file there stays as it is.');
    expect(question).toMatch(/big\/newer\n +old 8 bytes, .*\n +new 70 bytes, .*\n +big\//);
    expect(browser.transfers).toEqual([]);
    await press('<escape>s<enter>y');
    const [transfer] = browser.transfers;
    expect([...(transfer?.request.conflicts ?? [])]).toEqual([
      ['big/newer', 'replace'],
      ['big/older', 'leave'],
      ['big/third', 'leave'],
    ]);
    expect(browser.screen()).toMatch(/^store:bucket \|/);
  });

  test('begins immediately where nothing would be replaced, and refuses what cannot be there', async () => {
    let why: string | undefined = '"Docs" cannot be a bucket name';
    const effects = { conflicts: async () => [], refusalAt: async () => why };
    const browser = await scannedBrowser({}, effects);
    browser.keys('pother:<enter>');
    await browser.settle();
    expect(browser.screen()).toContain('Not copied: "Docs" cannot be a bucket name.');
    browser.keys('<escape>');
    why = undefined;
    browser.keys('pother:<enter>');
    await browser.settle();
    expect(browser.transfers.map(({ request }) => request.dest)).toEqual(['other:']);
    browser.keys('Pother:<enter>');
    await browser.settle();
    expect(browser.screen()).toContain('No file is replaced.');
  });

  test('the basket says what is copied, and where to', async () => {
    const browser = await scannedBrowser();
    browser.keys('vBpother:<enter>');
    await browser.settle();
    expect(browser.screen()).toContain('status: Copying 0 files, 0 B  big to other:');
  });

  test('links and special files are shown, and not copied', async () => {
    const usage = { size: 3, bytes: 512, device: 1n, inode: 5n, links: 1 };
    const tree = new SizeTree();
    const node = { isDir: false, size: 3, timeMs: Number.NaN };
    tree.add(ROOT, [
      { ...node, name: 'link', usage: { ...usage, isSpecial: true } },
      { ...node, name: 'twice', usage: { ...usage, bytes: 0, links: 2, isSpecial: false } },
    ]);
    const browser = fakeBrowser({ tree, isScanned: true });
    expect(browser.screen()).toMatch(/❯ @ +512 +B .* link\n +H +0 +B .* twice/);
    browser.keys('p');
    expect(browser.screen()).toContain('links and special files are not copied');
    browser.keys('a');
    expect(browser.screen()).toMatch(
      /largest first \(apparent size\)\n.* 3 +B .* link\n.* 3 +B .* twice/,
    );
    browser.keys('i');
    expect(browser.screen()).toContain('apparent size  3 bytes');
  });

  test('Esc asks no more, and nothing typed is no destination', async () => {
    const browser = await scannedBrowser();
    browser.keys('p<enter>');
    expect(browser.screen()).toContain('copy to:');
    browser.keys('<escape>');
    expect(browser.transfers).toEqual([]);
  });

  test('~ is the home directory, that of another user is refused', async () => {
    const browser = await scannedBrowser();
    browser.keys('p~me/x<enter>');
    expect(browser.screen()).toContain('~me/x: the home directories of other users');
    browser.keys('<home><delete><delete><delete>~<enter>');
    await browser.settle();
    expect(browser.transfers[0]?.request.dest).toBe('/home/me/x');
  });

  test('w downloads to the working directory; a failure of all is told', async () => {
    const browser = await scannedBrowser();
    browser.keys('w<enter>w');
    expect(browser.screen()).toContain('Download 1 entry: 2 files, 900 B\n  to /work\n');
    expect(browser.transfers).toEqual([]);
    browser.keys('y');
    await browser.settle();
    expect(browser.transfers[0]?.request.dest).toBe('.');
    browser.transfers[0]?.fail(new SyncerError('no-space', 'the disk is full'));
    await browser.settle();
    browser.keys('T<enter>');
    expect(browser.screen()).toContain('the disk is full');
  });

  test('what was moved goes from the list', async () => {
    const browser = await scannedBrowser();
    browser.keys('Pother:<enter>y');
    await browser.settle();
    const { request, report, done } = browser.transfers[0] ?? {};
    report?.moved(request?.nodes ?? []);
    done?.();
    await browser.settle();
    expect(browser.tree.size(0)).toBe(260);
  });

  test.each([
    ['dry-run', 'p', 'would be copied to x:'],
    ['read-only', 'P', 'nothing is moved'],
  ] as const)('%s: %s does nothing', async (restraint, key, text) => {
    const browser = await scannedBrowser({ restraint });
    browser.keys(key === 'p' ? 'px:<enter>' : key);
    expect(browser.screen()).toContain(text);
    expect(browser.transfers).toEqual([]);
  });
});

describe('leaving the browser', () => {
  test('a scan that fails before anybody waits for the end is told to who waits then', async () => {
    const browser = fakeBrowser();
    const failure = new SyncerError('directory-not-found', 'no such directory');
    browser.scans[0]?.fail(failure);
    // Node tells of rejections that nobody handles before timers run; vitest fails then.
    await new Promise((resolve) => setTimeout(resolve, 0));
    await expect(browser.model.result).rejects.toBe(failure);
  });

  test('Ctrl-C is an interruption, q is none', async () => {
    const interrupted = await scannedBrowser();
    interrupted.model.press(ctrlKey('c'));
    await expect(interrupted.model.result).rejects.toMatchObject({ exit: 130 });
    const left = await scannedBrowser();
    left.keys('q');
    await expect(left.model.result).resolves.toBeUndefined();
    expect(await left.model.close()).toBeUndefined();
  });

  test.each([true, false])(
    'what failed is told, but where another try succeeded: %s',
    async (isTried) => {
      const browser = await scannedBrowser();
      browser.keys('dy');
      await browser.settle();
      browser.removals[0]?.report.failed(0, 'big/two', 'access denied');
      browser.removals[0]?.done();
      await browser.settle();
      if (isTried) {
        browser.keys('T<enter>ry');
        await browser.settle();
        browser.removals[1]?.done();
        await browser.settle();
        expect(await browser.model.close()).toBeUndefined();
        return;
      }
      expect(await browser.model.close()).toMatchObject({
        exit: 1,
        message: '1 entry failed, the first: big/two: access denied',
      });
    },
  );

  test('asks when a task runs, and tells that it was stopped', async () => {
    const browser = await scannedBrowser();
    browser.keys('dy');
    await browser.settle();
    browser.keys('q');
    expect(browser.screen()).toContain('1 task will be stopped before the end.');
    browser.keys('y');
    await browser.model.result;
    const undone = await browser.model.close();
    expect(undone).toMatchObject({ exit: 130, message: '1 task stopped before the end' });
  });
});
