import { describe, expect, test } from 'vitest';
import type {
  BrowserEffects,
  DeletedRun,
  OlderScan,
  TrashWay,
  UndoPlan,
} from '../../../../src/size-tree/browser-effects.ts';
import { ROOT } from '../../../../src/size-tree/node.ts';
import { SizeTree } from '../../../../src/size-tree/size-tree.ts';
import { TreeFeed } from '../../../../src/size-tree/tree-feed.ts';
import { type FakeBrowser, fileEntry, scannedBrowser } from '../../size-tree/fake-effects.ts';

const DELETED: DeletedRun = {
  id: 'run1',
  timeMs: Date.now() - 3_600_000,
  files: 2,
  bytes: 900,
  paths: ['big/one', 'big/two'],
  isFixed: false,
};

/** A browser whose place keeps what is deleted, with what was done with its trash. */
async function keeping(
  way: TrashWay | 'none' = 'moves',
  isFirst = false,
  runs: DeletedRun[] = [],
  others: Partial<BrowserEffects> = {},
) {
  const done: string[] = [];
  const trash: BrowserEffects['trash'] = {
    isFirst,
    way: async () => (way === 'none' ? undefined : way),
    list: async () => [...runs],
    restore: async ({ id }) => void done.push(`restore ${id}`),
    async empty(some) {
      done.push(`empty ${some.map(({ id }) => id).join()}`);
      runs.length = 0;
    },
  };
  const browser = await scannedBrowser({}, { trash, ...others });
  const press = async (keys: string) => {
    browser.keys(keys);
    await browser.settle();
  };
  return { ...browser, press, done };
}

/** The last deletion of the screen is done, as this run. */
async function finish({ removals, settle }: FakeBrowser, run?: string) {
  const removal = removals.at(-1);
  removal?.report.gone(removal.nodes);
  if (run !== undefined) removal?.report.noted?.(run);
  removal?.done();
  await settle();
}

test('what was deleted goes from the list with the end of the task', async () => {
  const browser = await scannedBrowser();
  browser.screen();
  browser.keys('dy');
  await browser.settle();
  await finish(browser);
  const { rows, tree } = browser.model;
  expect(Array.from(rows.items, (node) => tree.name(node))).toEqual(['mid', 'small']);
});

describe('the question of a deletion', () => {
  test('offers both ways by a key of their own, and says what each frees', async () => {
    const browser = await keeping('moves', false, [DELETED]);
    await browser.press('d');
    await browser.press('n');
    await browser.press('d');
    const shown = browser.screen().replace(/\s+/g, ' ');
    expect(shown).toContain('y deletes for good: frees 900 B, and cannot be undone.');
    expect(shown).toMatch(/t moves to the trash: frees nothing.*\(in trash: 900 B\); z undoes it/);
    await browser.press('t');
    expect(browser.removals.map(({ to }) => to)).toEqual(['trash']);
    await finish(browser, 'run2');
    expect(browser.screen()).toContain('2 objects moved to the trash');
    expect(browser.screen()).toContain('in trash: 900 B');
    await browser.press('dy');
    expect(browser.removals.at(-1)?.to).toBe('nowhere');
  });

  test.each<[TrashWay, boolean, string, string]>([
    ['moves', true, 'y moves to the trash', '! deletes for good'],
    ['versions', false, 'y deletes, and the bucket keeps the versions', '! deletes for good'],
    ['copies', false, 'y deletes for good', 't copies 900 B to the trash first'],
  ])('where the place %s it, and the trash is first: %s', async (way, isFirst, first, second) => {
    const browser = await keeping(way, isFirst);
    await browser.press('d');
    const shown = browser.screen().replace(/\s+/g, ' ');
    expect(shown).toContain(first);
    expect(shown).toContain(second);
    await browser.press(first.startsWith('y deletes for') ? 't' : '!');
    expect(browser.removals.at(-1)?.to).toBe(
      first.startsWith('y deletes for') ? 'trash' : 'nowhere',
    );
  });

  test('says that nothing is kept where the place keeps nothing', async () => {
    const browser = await keeping('none');
    await browser.press('d');
    expect(browser.screen()).toContain('and cannot be undone');
    expect(browser.screen()).not.toContain('t trash');
  });

  test('asks once more before a large copy within a bucket', async () => {
    const browser = await keeping('copies');
    new TreeFeed(browser.tree, ROOT).flatPage([fileEntry('huge', 5 * 2 ** 30)]);
    browser.model.rows.refresh(true);
    await browser.press('<home>d');
    await browser.press('t');
    expect(browser.removals).toEqual([]);
    expect(browser.screen()).toContain('Copy 5.0 GiB within the bucket, then delete');
    await browser.press('y');
    expect(browser.removals.map(({ to }) => to)).toEqual(['trash']);
  });
});

describe('z', () => {
  const planOf = (run: string, changes: UndoPlan['changes'], did: string[]): UndoPlan => ({
    changes,
    left: [],
    run: async ({ done }) => {
      did.push(run);
      done(changes.length);
    },
  });

  test('undoes the last change after a question with its plan, then the one before', async () => {
    const did: string[] = [];
    const back = { does: 'restore', path: 'big/one', bytes: 600 } as const;
    const browser = await keeping('moves', false, [], {
      planUndo: async (run) => planOf(run, [back, { ...back, path: 'big/a' }], did),
    });
    await browser.press('z');
    expect(browser.screen()).toContain('nothing was changed since the browser was opened');
    for (const run of ['first', 'second']) {
      await browser.press('<home>d');
      await browser.press('t');
      await finish(browser, run);
    }
    await browser.press('z');
    const asked = browser.screen();
    expect(asked).toContain('Undo: move to trash mid');
    expect(asked).toMatch(/2 entries come back.*restore +big\/a.*restore +big\/one/s);
    await browser.press('n');
    expect(did).toEqual([]);
    await browser.press('z');
    await browser.press('y');
    await browser.press('z');
    expect(browser.screen()).toContain('Undo: move to trash big');
    await browser.press('y');
    expect(did).toEqual(['second', 'first']);
    expect(browser.screen()).toContain('2 entries undone');
    await browser.press('z');
    expect(browser.screen()).toContain('nothing is left to undo');
  });

  test('names what is left, the first ten', async () => {
    const left = Array.from({ length: 12 }, (_, n) => ({
      path: `f${n + 10}`,
      why: 'Left as it is: changed since the run',
    }));
    const back = { does: 'restore', path: 'big/one', bytes: 600 } as const;
    const changes = [back];
    const browser = await keeping('moves', false, [], {
      planUndo: async () => ({ changes: changes.splice(0), left, run: async () => undefined }),
    });
    await browser.press('<home>d');
    await browser.press('t');
    await finish(browser, 'run');
    for (const asked of ['y undo', 'This cannot be undone: move to trash big.']) {
      await browser.press('z');
      const text = browser.screen().replace(/[│\s]+/g, ' ');
      expect(text).toContain(asked);
      expect(text).toContain(
        'changed since the run: f10, f11, f12, f13, f14, f15, f16, f17, f18, f19 and 2 more',
      );
      await browser.press('n');
    }
  });

  test('says what cannot be undone and why, and goes on with the one before', async () => {
    const left = [{ path: 'x', why: 'Not restored: its old content is not kept' }];
    const browser = await keeping('moves', false, [], {
      planUndo: async () => ({ changes: [], left, run: async () => undefined }),
    });
    for (const run of ['first', 'second']) {
      await browser.press('<home>d');
      await browser.press('y');
      await finish(browser, run);
    }
    await browser.press('z');
    expect(browser.screen()).toContain(
      'cannot be undone: delete mid (its old content is not kept)',
    );
    await browser.press('z');
    expect(browser.screen()).toContain('cannot be undone: delete big');
  });
});

test('K shows the trash: what a run deleted is restored, or all of it deleted for good', async () => {
  const browser = await keeping('moves', false, [DELETED]);
  await browser.press('K');
  expect(browser.screen()).toMatch(
    /trash \| in trash: 900 B\n❯ +900 +B +1 h ago {2}big\/ {2}2 files/,
  );
  await browser.press('<enter>');
  expect(browser.screen()).toMatch(/Put back 2 files, 900 B.*big\/one\n *big\/two/s);
  await browser.press('y');
  expect(browser.done).toEqual(['restore run1']);
  await browser.press('E');
  expect(browser.screen()).toContain('Frees 900 B. This cannot be undone.');
  await browser.press('y');
  expect(browser.done).toEqual(['restore run1', 'empty run1']);
  expect(browser.screen()).toContain('The trash is empty.');
});

test('what entries have grown by since the last saved scan is a column, which + shows and hides', async () => {
  const tree = new SizeTree();
  new TreeFeed(tree, ROOT).flatPage([fileEntry('big/one', 100), fileEntry('small', 20)]);
  const older: OlderScan = { tree, timeMs: Date.now() - 3 * 86_400_000 };
  const browser = await scannedBrowser({}, { older: async () => older });
  const size = { columns: 80, rows: 12 };
  browser.keys('+');
  await browser.settle();
  const shown = browser.screen(size);
  expect(shown).toMatch(/size .*in 3 d +name/);
  expect(shown).toMatch(/\+800 +B +big\/\n.* new +mid\/\n.* -10 +B +small/);
  browser.keys('+');
  expect(browser.screen(size)).not.toMatch(/in 3 d +name/);
});

test('there is no such column while everything has the size it had', async () => {
  const same: { tree?: SizeTree } = {};
  const older = async () => ({ tree: same.tree as SizeTree, timeMs: Date.now() - 7000 });
  const browser = await scannedBrowser({}, { older });
  same.tree = browser.model.tree;
  browser.keys('+');
  await browser.settle();
  expect(browser.screen()).toContain('nothing has grown since the last saved scan');
  expect(browser.screen()).not.toContain('in 7 s');
});
