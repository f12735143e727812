import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BrowserView } from '../../../../components/browser/browser-view.tsx';
import { ActionScreen } from '../../../../src/terminal/action-screen.ts';
import { cellWidth } from '../../../../src/terminal/cells.ts';
import { ctrlKey, type Key, namedKey, pasteKey, textKey } from '../../../../src/terminal/key.ts';
import { ASCII_GLYPHS, UNICODE_GLYPHS } from '../../../../src/terminal/look.ts';
import { ALL } from '../../../support/in-part.ts';
import { fakeBrowser, fileEntry } from '../../size-tree/fake-effects.ts';
import { type ModelNode, modelFigures } from '../../size-tree/tree-model.ts';
import { drawnOnce } from '../draw-screen.tsx';

const NAMES = [
  'close',
  'up',
  'down',
  'left',
  'right',
  'enter',
  'escape',
  'home',
  'end',
  'page-down',
];

const key: fc.Arbitrary<Key> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(...'hjkldDyngscCAMamuvV bUtewpRiorxYq/?FL12345XIHS').map(textKey),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom(...NAMES.slice(1)).map((name) => namedKey(name as 'up')),
  },
  { weight: 1, arbitrary: fc.constantFrom(ctrlKey('l'), pasteKey('a\nb'), textKey('日')) },
);

const path = fc
  .array(fc.constantFrom('a', 'b', '日本', 'e\u0301\x1b', 'x\udcff'), {
    minLength: 1,
    maxLength: 4,
  })
  .map((names) => names.join('/'));

const event = fc.oneof(
  fc.record({ type: fc.constant('key' as const), key }),
  fc.record({
    type: fc.constant('page' as const),
    files: fc.array(fc.tuple(path, fc.integer({ min: -1, max: 1e12 })), { maxLength: 5 }),
  }),
  fc.record({ type: fc.constant('fail' as const) }),
  fc.record({ type: fc.constant('end' as const), well: fc.boolean() }),
  fc.record({ type: fc.constant('gone' as const) }),
  fc.record({
    type: fc.constant('size' as const),
    columns: fc.integer({ min: 1, max: 120 }),
    rows: fc.integer({ min: 1, max: 40 }),
  }),
);

test('no keys, scans, deletions or sizes of the terminal bring it out of step', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 60 }), fc.boolean(), async (events, ascii) => {
      const browser = fakeBrowser();
      const { model, tree } = browser;
      const screen = new ActionScreen(browser.alone);
      model.result.catch(() => undefined);
      let size = { columns: 80, rows: 24 };
      const look = { colour: false, glyphs: ascii ? ASCII_GLYPHS : UNICODE_GLYPHS, plain: false };
      for (const one of events) {
        const scan = browser.scans.at(-1);
        const removal = browser.removals.at(-1);
        if (one.type === 'key') model.press(one.key);
        else if (one.type === 'size') {
          size = { columns: one.columns, rows: one.rows };
          model.resize(size);
        } else if (one.type === 'page') {
          if (scan !== undefined && (scan.into === 0 ? browser.scans.length === 1 : true)) {
            scan.feed.flatPage(one.files.map(([at, bytes]) => fileEntry(`d/${at}/f`, bytes)));
          }
        } else if (one.type === 'fail' && scan !== undefined) tree.setError(scan.into, 'no');
        else if (one.type === 'end' && tree.childCount(0) > 0) scan?.done();
        else if (one.type === 'gone' && removal !== undefined) {
          removal.report.gone(removal.nodes.filter((node) => tree.isThere(node)).slice(0, 1));
          removal.done();
        }
        await browser.settle();
        const lines = drawnOnce(screen, browser.alone, BrowserView, size, look).split('\n');
        expect(lines.length).toBeLessThanOrEqual(size.rows);
        for (const line of lines) {
          expect(line).not.toMatch(/[\0-\x1f\x7f-\x9f]/);
          expect(cellWidth(line)).toBeLessThanOrEqual(size.columns);
        }
        const { rows } = model;
        expect(rows.cursor).toBeGreaterThanOrEqual(0);
        if (rows.items.length > 0) expect(rows.cursor).toBeLessThan(rows.items.length);
        const first = rows.first(8);
        expect(first).toBeGreaterThanOrEqual(0);
        expect(first).toBeLessThanOrEqual(rows.cursor);
        for (const node of model.marks) expect(tree.isThere(node)).toBe(true);
        const counted = (id: number) =>
          [...tree.children(id)].filter((child) => !tree.excluded.has(child));
        const naive = (id: number): ModelNode => ({
          ...{ id, name: '', size: tree.isSizeUnknown(id) ? -1 : tree.size(id) },
          children: tree.isDir(id) ? counted(id).map(naive) : undefined,
        });
        expect(modelFigures(naive(0))).toEqual({
          ...{ size: tree.size(0), files: tree.files(0), unknown: tree.unknown(0) },
        });
      }
      await model.close();
    }),
    { numRuns: ALL ? 300 : 60 },
  );
});
