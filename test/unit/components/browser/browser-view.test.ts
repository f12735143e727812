import { describe, expect, test } from 'vitest';
import { BrowserView } from '../../../../components/browser/browser-view.tsx';
import { textKey } from '../../../../src/terminal/key.ts';
import { lookOf } from '../../../../src/terminal/look.ts';
import { type FakeBrowser, scannedBrowser } from '../../size-tree/fake-effects.ts';
import { showScreen } from '../draw-screen.tsx';

const LARGE = { columns: 80, rows: 24 };
const SMALL = { columns: 40, rows: 12 };

function draw(
  { alone }: FakeBrowser,
  size = LARGE,
  env: NodeJS.ProcessEnv = { LANG: 'C.UTF-8' },
  over = '',
) {
  const { screen, draw } = showScreen(alone, BrowserView, 'ncdu');
  for (const key of over) screen.press(textKey(key));
  const lines = draw(size, lookOf({ NO_COLOR: '1', ...env }));
  expect(lines).toHaveLength(size.rows);
  return lines.join('\n').replace(/\n{3,}/g, '\n\n');
}

describe('the browser of sizes on the screen', () => {
  test('at 80x24', async () => {
    const browser = await scannedBrowser();
    expect(draw(browser)).toMatchInlineSnapshot(`
      "syncer ncdu  store:bucket                                          largest first
      ❯     900   B  78% ████████████████  big/
            250   B  22% ████▌             mid/
             10   B   1% ▏                 small

      5 files, 1.1 KiB in 3 directories
      ? keys · q quit · ↑↓ move · → open · ← up · d delete · v mark · / filter"
    `);
  });

  test('at 40x12', async () => {
    const browser = await scannedBrowser();
    browser.keys('v');
    expect(draw(browser, SMALL)).toMatchInlineSnapshot(`
      "syncer ncdu  store:bucket  largest first
      ❯●    900   B  78% █████  big/
            250   B  22% █▍     mid/
             10   B   1%        small

      5 files, 1.1 KiB in 3 directories
      ? keys · q quit · ↑↓ move · → open"
    `);
  });

  test('on a wide screen a question stands in a box over the list', async () => {
    const browser = await scannedBrowser();
    browser.keys('d');
    expect(draw(browser, { columns: 100, rows: 20 })).toMatchInlineSnapshot(`
      "syncer ncdu  store:bucket                                                              largest first
      ────────────────────────────────────────────────────────┬───────────────────────────────────────────
      ❯     900   B  78% █████  big/                          │ big/
            250   B  22% █▍     mid/                          │
             10   B   1%  ╭──────────────────────────────────────────────────────────╮cket/big
                          │ Delete                                                   │s
                          │                                                          │
                          │   Delete 1 directory: 2 objects, 900 B                   │
                          │   y deletes for good: frees 900 B, and cannot be undone. │
                          │                                                          │
                          │        900 B  big/  2 objects                            │
                          ╰──────────────────────────────────────────────────────────╯ one
                                                              │    300   B █████       two
                                                              │
                                                              │
                                                              │
                                                              │
      ────────────────────────────────────────────────────────┴───────────────────────────────────────────
      5 files, 1.1 KiB in 3 directories
      y delete · n cancel"
    `);
    expect(draw(browser, { columns: 100, rows: 20 }, { LANG: 'C' })).toMatch(/^[\n -~]*$/);
    browser.keys('n');
    expect(draw(browser, { columns: 100, rows: 20 })).not.toContain('╭');
  });

  test('on a wide screen the entry under the cursor stands beside the list', async () => {
    const browser = await scannedBrowser();
    expect(draw(browser, { columns: 120, rows: 20 })).toMatchInlineSnapshot(`
      "syncer ncdu  store:bucket                                                                                  largest first
      ───────────────────────────────────────────────────────────────────┬────────────────────────────────────────────────────
      ❯     900   B  78% ██████████  big/                                │ big/
            250   B  22% ██▊         mid/                                │
             10   B   1% ▏           small                               │ path          store:bucket/big
                                                                         │ size          900 bytes
                                                                         │ files         2
                                                                         │ entries       2
                                                                         │ average file  450 B
                                                                         │
                                                                         │ Largest
                                                                         │    600   B ██████████  one
                                                                         │    300   B █████       two
                                                                         │
                                                                         │
                                                                         │
                                                                         │
      ───────────────────────────────────────────────────────────────────┴────────────────────────────────────────────────────
      5 files, 1.1 KiB in 3 directories
      ? keys · q quit · ↑↓ move · → open · ← up · d delete · v mark · / filter · F find · L views · i info · s sort · r rescan"
    `);
    browser.keys('j');
    expect(draw(browser, { columns: 120, rows: 20 })).toContain('250 bytes');
    // Not all of them lie in the directory itself.
    expect(draw(browser, { columns: 120, rows: 24 })).toMatch(
      /Largest files\n.* 200 +B █{10} {2}deep\/x\n.* 50 +B .* y\n/,
    );
  });

  test('without UTF-8', async () => {
    const browser = await scannedBrowser();
    browser.keys('gcjv');
    expect(draw(browser, LARGE, { LANG: 'C' })).toMatchInlineSnapshot(`
      "syncer ncdu  store:bucket                                          largest first
               size                   files  name
            900   B ################      2  big/
      >*    250   B ####                  2  mid/
             10   B                          small

      1 marked | 5 files, 1.1 KiB in 3 directories
      ? keys | q quit | Up/Down move | Right open | Left up | d delete | v mark"
    `);
  });

  test('the question before a deletion', async () => {
    const browser = await scannedBrowser();
    browser.keys('vjvd');
    expect(draw(browser, SMALL)).toMatchInlineSnapshot(`
      "syncer ncdu  Delete
        Delete 1 directory: 2 objects, 250 B
        y deletes for good: frees 250 B, and
        cannot be undone.

        250 B  mid/  2 objects

      y delete · n cancel"
    `);
  });

  test('the filter while it is typed', async () => {
    const browser = await scannedBrowser();
    browser.keys('/ma');
    expect(draw(browser, SMALL)).toMatchInlineSnapshot(`
      "syncer ncdu  store:bucket     /ma 1 of 3
      ❯      10   B   1% █████  small

      / ma
      5 files, 1.1 KiB in 3 directories
      Enter keep · Esc show all · ↑↓ move"
    `);
  });

  test('where marked entries go to', async () => {
    const browser = await scannedBrowser();
    browser.keys('pother:dir');
    expect(draw(browser, SMALL)).toMatchInlineSnapshot(`
      "syncer ncdu  copy 1 entry: 2 files, 900…
        Copy to this directory: remote:path or
        a local path.
        Directories keep their names.

        big/

      copy to: other:dir
      Enter copy · Esc back"
    `);
  });

  test('tasks', async () => {
    const browser = await scannedBrowser();
    browser.keys('dy');
    await browser.settle();
    browser.removals[0]?.report.failed(0, 'big/two', 'access denied');
    browser.keys('T');
    expect(draw(browser, SMALL)).toMatchInlineSnapshot(`
      "syncer ncdu  tasks               1 to do
      ❯ ▁▁▁▁▁▁▁▁▁▁ Deleting 0 of 2 objects, 0…

      Esc back · x stop · r try again · ? keys"
    `);
    await browser.model.close();
  });

  test('the keys', async () => {
    const browser = await scannedBrowser();
    expect(draw(browser, SMALL, undefined, '?')).toMatchInlineSnapshot(`
      "syncer ncdu  keys            1-10 of 130
         ↑ ↓  k j  move up and down
        → Enter l  open a directory; view a
                   file
              ← h  go to the parent directory;
                   also Backspace
        PgUp PgDn  move a page; Home and End
                   (or G) go to the first and
                   last
                /  show only names that
                   contain a text; Esc clears
      ↑↓ scroll · any key goes back"
    `);
  });
});
