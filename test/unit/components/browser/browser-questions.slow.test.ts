import { describe, expect, test } from 'vitest';
import { BrowserView } from '../../../../components/browser/browser-view.tsx';
import type { BrowserEffects } from '../../../../src/size-tree/browser-effects.ts';
import { ENLARGE } from '../../../../src/terminal/drawn-question.ts';
import { type Key, keysOfText, namedKey } from '../../../../src/terminal/key.ts';
import {
  type FakeBrowser,
  fileEntry,
  KEPT_SAMPLE,
  scannedBrowser,
} from '../../size-tree/fake-effects.ts';
import { showScreen, WINDOWS } from '../draw-screen.tsx';

/** As long as a name can be: 255 bytes. */
const PARTS = Array.from({ length: 85 }, (_, at) => String(at).padStart(3, '0'));
const LONG = PARTS.join('');
const PATH = `some-directory/${LONG}`;
const ENTRIES = [
  fileEntry(PATH, 600),
  ...Array.from({ length: 60 }, (_, at) => fileEntry(`${at}`, 9)),
];

const fact = { bytes: 70, timeMs: Date.UTC(2026, 0, 2) };
const CONFLICTS = [
  { path: PATH, here: fact, there: { bytes: 8, timeMs: Date.UTC(2026, 0, 1) } },
  { path: 'old', here: fact, there: { bytes: 9, timeMs: Date.UTC(2027, 0, 1) } },
  { path: 'small', here: fact, there: fact },
];

const run = { id: 'r', timeMs: 0, files: 2, bytes: 900, paths: [PATH, 'b'], isFixed: false };

const EFFECTS: Partial<BrowserEffects> = {
  trash: {
    way: async () => 'copies',
    isFirst: false,
    list: async () => [run],
    restore: async () => undefined,
    empty: async () => undefined,
  },
  planUndo: async () => ({
    changes: [
      { does: 'restore', path: PATH, bytes: 9 },
      { does: 'move', path: 'here', from: PATH, bytes: 0 },
      { does: 'delete', path: 'new', bytes: 1 },
    ],
    left: [{ path: PATH, why: 'Not restored: its old content is not kept' }],
    run: async () => undefined,
  }),
  conflicts: async () => CONFLICTS,
};

const WITHOUT: Partial<BrowserEffects> = { ...EFFECTS, conflicts: async () => [] };

type Open = () => Promise<FakeBrowser>;
const plain: Open = () => scannedBrowser({}, EFFECTS, ENTRIES);

/** Every question of the browser: the browser, and the keys that lead there. */
const QUESTIONS: Readonly<Record<string, readonly [open: Open, ...keys: readonly string[]]>> = {
  'a deletion': [plain, 'l', 'd'],
  'a deletion of many': [plain, 'vjvjvjvjvjvjvD'],
  'a deletion with --dry-run': [
    () => scannedBrowser({ restraint: 'dry-run' }, EFFECTS, ENTRIES),
    'd',
  ],
  'a deletion of old versions': [() => scannedBrowser({}, EFFECTS, KEPT_SAMPLE), 'ljd', 'o'],
  'a copy where files are there already': [plain, 'p', 'other:', '<enter>', '<enter>'],
  'a move': [() => scannedBrowser({}, WITHOUT, ENTRIES), 'P', 'other:', '<enter>'],
  'a move where files are there already': [plain, 'P', 'other:', '<enter>', 'b', 'a', '<enter>'],
  'a download': [() => scannedBrowser({}, WITHOUT, ENTRIES), 'w'],
  'an upload': [plain, 'W', `/${LONG}`, '<enter>', '<enter>'],
  'an undo': [plain, 'd', 't', '!finish', 'z'],
  'a restoration from the trash': [plain, 'K', '<enter>'],
  'an emptying of the trash': [plain, 'K', 'E'],
  'an end while a task runs': [plain, 'd', 'y', 'q'],
};

const keysIn = (text: string): readonly Key[] =>
  /^<.*>$/.test(text) ? [namedKey(text.slice(1, -1) as 'enter')] : keysOfText(text);

/** Leads a browser to its question in a window of this size. */
async function asked(name: string, size: { readonly columns: number; readonly rows: number }) {
  const [open, ...keys] = QUESTIONS[name] as (typeof QUESTIONS)[string];
  const browser = await open();
  const { screen, draw } = showScreen(browser.alone, BrowserView);
  draw(size);
  for (const part of keys) {
    if (part === '!finish') {
      const removal = browser.removals.at(-1);
      removal?.report.gone(removal.nodes);
      removal?.report.noted?.('r');
      removal?.done();
    } else for (const key of keysIn(part)) screen.press(key);
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
    draw(size);
  }
  return { text: draw(size).join('\n'), screen, draw: () => draw(size).join('\n') };
}

describe.each(Object.keys(QUESTIONS))('the question of %s', (name) => {
  test('can be read and answered in every window', async () => {
    for (const [columns, rows] of WINDOWS) {
      const { text, screen } = await asked(name, { columns, rows });
      const where = `${columns}x${rows}: ${text}`;
      expect(text, where).not.toContain(ENLARGE);
      const yes = screen.keys().filter(({ confirms }) => confirms === true);
      expect(yes.length, where).toBeGreaterThan(0);
      expect(text.split('\n').at(-1), where).toMatch(/\by /);
    }
  });
});

test('a name of 255 bytes is shown whole, where needed by scrolling, and how much there is', async () => {
  for (const [columns, rows] of WINDOWS) {
    const { text, screen, draw } = await asked('a deletion', { columns, rows });
    const shown = [text];
    for (let at = 0; at < 12; at++) {
      screen.press(namedKey('down'));
      shown.push(draw());
    }
    const all = shown.map((one) => one.replaceAll(/[^\d]/g, ''));
    const missing = PARTS.filter((part) => !all.some((one) => one.includes(part)));
    expect(missing, `${columns}x${rows}: ${text}`).toEqual([]);
    if (columns === 40) expect(text).toMatch(/\d+-\d+ of \d+/);
  }
});
