import { expect, test } from 'vitest';
import { ReviewModel } from '../../../../components/review/review-model.ts';
import { ReviewView } from '../../../../components/review/review-view.tsx';
import { namedKey, textKey } from '../../../../src/terminal/key.ts';
import { ASCII_GLYPHS, type Glyphs, UNICODE_GLYPHS } from '../../../../src/terminal/look.ts';
import { aPlan, MIXED } from '../../run/review/a-plan.ts';
import { showScreen } from '../draw-screen.tsx';

function frame(
  columns: number,
  rows: number,
  typed = '',
  glyphs: Glyphs = UNICODE_GLYPHS,
  plan = MIXED,
) {
  const model = new ReviewModel({
    plan,
    title: 'sync',
    subject: 'photos → s3:bucket',
    problems: [],
    readOnly: false,
  });
  const size = { columns, rows };
  model.resize(size);
  const { screen, draw } = showScreen(model, ReviewView, 'sync');
  for (const letter of typed) screen.press(letter === '↓' ? namedKey('down') : textKey(letter));
  const lines = draw(size, { colour: false, glyphs, plain: false });
  expect(lines).toHaveLength(rows);
  return lines;
}

test('at 80x24, a branch dropped', () => {
  expect(frame(80, 24, '↓↓ ')).toMatchInlineSnapshot(`
    [
      "syncer sync  photos → s3:bucket                                   8 of 9 changes",
      "  ▾ Deletions                              11 B             D2 -1",
      "    ▾ old/                                 11 B             D2 -1",
      "      ▾ deep/                               6 B             D1",
      "        ✗ (this directory)                      excluded",
      "❯       D y                                 6 B reason of old/deep/y",
      "      - (this directory)                        reason of old",
      "      D x                                   5 B reason of old/x",
      "  ▾ Replacements                           30 B    U1",
      "    ▾ photos/                              30 B    U1",
      "      U list.txt                           30 B reason of photos/list.txt",
      "  ▾ Moves and renames                                 R1",
      "    ▾ moved/                                          R1",
      "      R new                                 8 B reason of moved/new",
      "  ▾ Additions                           2.9 KiB C2",
      "    ▾ photos/                           2.9 KiB C2",
      "      ▾ 2024/                           2.9 KiB C2",
      "        C a.jpg                          1000 B reason of photos/2024/a.jpg",
      "        C b.jpg                         1.9 KiB reason of photos/2024/b.jpg",
      "  ▾ Times                                                T1",
      "    T notes.txt                             7 B reason of notes.txt",
      "",
      "a applies: 2 deletions, 1 directory deletion, 1 update, 1 rename, 2 copies, 1 t…",
      "a apply · Space exclude · / filter · d deletions · ? keys · q quit · ↑↓ move",
    ]
  `);
});

test('at 40x12', () => {
  expect(frame(40, 12)).toMatchInlineSnapshot(`
    [
      "syncer sync  photos → s3:buck… 9 changes",
      "  ▾ Deletions           11 B D2 -2",
      "❯   ▾ old/              11 B D2 -2",
      "      ▾ deep/            6 B D1 -1",
      "        - (thi…ory)",
      "        D y              6 B",
      "      - (this…tory)",
      "      D x                5 B",
      "  ▾ Replacements        30 B U1",
      "    ▾ photos/           30 B U1",
      "a applies: 2 deletions, 2 directory del…",
      "a apply · / filter · ? keys · q quit",
    ]
  `);
});

test('at one column nothing fails', () => {
  expect(frame(1, 4)).toHaveLength(4);
});

test('typing a filter', () => {
  const lines = frame(80, 24, '/jpg');
  expect(lines.join('\n')).toContain('filter jpg');
  expect(lines.join('\n')).toContain('2 of 9 changes');
  expect(lines.join('\n')).not.toContain('notes.txt');
});

test('a filter that shows nothing says so', () => {
  expect(frame(80, 24, '/zzz').join('\n')).toContain('No change matches the filter "zzz".');
  expect(frame(80, 24, 'd/jpg').join('\n')).toContain('No deletion matches the filter "jpg".');
  const copies = frame(80, 24, 'd', UNICODE_GLYPHS, aPlan('copy a 1'));
  expect(copies[1]).toBe('No deletions.');
});

test('all keys, and no other characters than ASCII where there are none', () => {
  expect(frame(80, 24, '?').join('\n')).toContain('apply everything shown except what is excluded');
  const told = frame(80, 24, '', ASCII_GLYPHS).slice(1, -1).join('\n');
  expect(told).toMatch(/^[\n\x20-\x7e]*$/);
});

test('at 120x20 what is under the cursor stands beside the tree, and the question in a box', () => {
  expect(frame(120, 20, '↓↓')).toMatchInlineSnapshot(`
    [
      "syncer sync  photos → s3:bucket                                                                                9 changes",
      "───────────────────────────────────────────────────────────────────┬────────────────────────────────────────────────────",
      "  ▾ Deletions                      11 B             D2 -2          │ (this directory)",
      "    ▾ old/                         11 B             D2 -2          │",
      "      ▾ deep/                       6 B             D1 -1          │ directory deletion",
      "❯       - (this directory)              reason of old/deep         │ reason of old/deep",
      "        D y                         6 B reason of old/deep/y       │",
      "      - (this directory)                reason of old              │ old/deep",
      "      D x                           5 B reason of old/x            │",
      "  ▾ Replacements                   30 B    U1                      │",
      "    ▾ photos/                      30 B    U1                      │",
      "      U list.txt                   30 B reason of photos/list.txt  │",
      "  ▾ Moves and renames                         R1                   │",
      "    ▾ moved/                                  R1                   │",
      "      R new                         8 B reason of moved/new        │",
      "  ▾ Additions                   2.9 KiB C2                         │",
      "    ▾ photos/                   2.9 KiB C2                         │",
      "───────────────────────────────────────────────────────────────────┴────────────────────────────────────────────────────",
      "a applies: 2 deletions, 2 directory deletions, 1 update, 1 rename, 2 copies, 1 time change · 11 B deleted, 2.9 KiB to s…",
      "a apply · Space exclude · / filter · d deletions · ? keys · q quit · ↑↓ move · → expand · ← collapse · [ ] collapse all",
    ]
  `);
  expect(frame(120, 20, '↓↓a').join('\n')).toContain('╭');
});
