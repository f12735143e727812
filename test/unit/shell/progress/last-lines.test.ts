import { expect, test } from 'vitest';
import { SyncerError } from '../../../../src/core/errors.ts';
import type { SyncerEvent } from '../../../../src/core/events.ts';
import { lastLines } from '../../../../src/shell/progress/last-lines.ts';
import { applyEvent, ProgressState } from '../../../../src/shell/progress/progress-state.ts';
import { ASCII_GLYPHS, UNICODE_GLYPHS } from '../../../../src/terminal/look.ts';

const copied = (files: number, size: number): SyncerEvent[] =>
  Array.from({ length: files }, (_, id): SyncerEvent[] => [
    { type: 'transfer-start', id, kind: 'copy', path: `f${id}`, size },
    { type: 'transfer-bytes', id, bytes: size },
    { type: 'transfer-end', id },
  ]).flat();
const denied = new SyncerError('access-denied', 'cannot write: access denied');
const failed = (id: number): SyncerEvent[] => [
  { type: 'transfer-start', id, kind: 'copy', path: `d/f${id}`, size: 100 },
  { type: 'transfer-bytes', id, bytes: 100 },
  { type: 'transfer-end', id, error: denied },
  { type: 'error', error: new SyncerError('access-denied', 'access denied', { path: `d/f${id}` }) },
];
const queued = (files: number): SyncerEvent => ({ type: 'transfer-queued', files, bytes: 0 });
const stopped = new SyncerError('stopped', 'stopped by the user');

test.each<[string[], SyncerEvent[], { thrown?: SyncerError; isDryRun?: boolean }?]>([
  [[], []],
  [['✓ 1,200 files, 117 MiB in 20.0 s (5.9 MiB/s)'], copied(1200, 102_400)],
  [
    ['✓ 1 file in 20.0 s, 3 deleted, 7 checked'],
    [
      ...copied(1, 0),
      { type: 'checked', files: 7 },
      { type: 'deleted', files: 3, dirs: 0, bytes: 9 },
    ],
  ],
  [['✓ 10,007 files checked in 20.0 s'], [{ type: 'checked', files: 10_007 }]],
  [
    ['✗ 1 of 3 files, 100 B in 20.0 s (5 B/s)', '  2 files: access denied', '    d/f7', '    d/f8'],
    [...copied(1, 100), ...failed(7), ...failed(8)],
    { thrown: denied },
  ],
  [
    [
      '✗ 0 of 12 files in 20.0 s',
      '  12 files: access denied',
      ...Array.from({ length: 10 }, (_, id) => `    d/f${id}`),
      '    and 2 more: syncer history 7k3f',
    ],
    Array.from({ length: 12 }, (_, id) => failed(id)).flat(),
    { thrown: denied },
  ],
  [
    ['■ Stopped: 1 of 1,001 files. Run the same command to continue.'],
    [queued(1001), ...copied(1, 100)],
    { thrown: stopped },
  ],
  [['■ Stopped.'], [], { thrown: stopped }],
  [
    ['✓ 2 files to transfer, 20 B in 20.0 s, 1 to delete'],
    [...copied(2, 10), { type: 'deleted', files: 1, dirs: 0, bytes: 9 }],
    { isDryRun: true },
  ],
])('%j', (lines, events, { thrown, isDryRun = false } = {}) => {
  const state = new ProgressState(0);
  for (const event of events) applyEvent(state, event);
  const end = { thrown, isDryRun, unit: 'bytes', runId: '20261121-113012-7k3f' } as const;
  const textOf = (glyphs: typeof UNICODE_GLYPHS) =>
    lastLines(state, 20_000, end, glyphs).map((line) => line.map(({ text }) => text).join(''));
  expect(textOf(UNICODE_GLYPHS)).toEqual(lines);
  expect(textOf(ASCII_GLYPHS).join('')).toMatch(/^[\x20-\x7e]*$/);
});

test('a few files that failed can be repeated by themselves, whatever their names', () => {
  const linesOf = (paths: readonly string[], others: readonly SyncerEvent[] = []) => {
    const state = new ProgressState(0);
    for (const [id, path] of paths.entries()) {
      applyEvent(state, { type: 'transfer-start', id, kind: 'copy', path, size: 1 });
      applyEvent(state, { type: 'transfer-end', id, error: denied });
      applyEvent(state, { type: 'error', error: new SyncerError('access-denied', 'no'), path });
    }
    for (const event of others) applyEvent(state, event);
    const end = { thrown: denied, isDryRun: false, unit: 'bytes', runId: '' } as const;
    const again = ['sync', 'a b', 'far:'];
    return lastLines(state, 20_000, { ...end, again }, UNICODE_GLYPHS).map((line) =>
      line.map(({ text }) => text).join(''),
    );
  };
  expect(linesOf(['f', "it's [1]*.txt"]).slice(-2)).toEqual([
    '  to repeat only these:',
    String.raw`  syncer sync 'a b' far: --include /f --include '/it'\''s \[1\]\*.txt'`,
  ]);
  const listing = new SyncerError('access-denied', 'no');
  const notes = [
    linesOf(Array.from({ length: 11 }, (_, n) => `f${n}`)),
    linesOf(['f'], [{ type: 'error', error: listing, path: 'dir' }]),
  ];
  for (const lines of notes) expect(lines.join()).not.toContain('repeat');
});
