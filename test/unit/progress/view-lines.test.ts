import { describe, expect, test } from 'vitest';
import { SyncerError } from '../../../src/core/errors.ts';
import { applyEvent, startProgress } from '../../../src/progress/progress-state.ts';
import { tickRates } from '../../../src/progress/transfer-rate.ts';
import { RUN_MODE } from '../../../src/progress/view-keys.ts';
import { type ViewControls, viewLines } from '../../../src/progress/view-lines.ts';
import { noteEvent, startView, tickView } from '../../../src/progress/view-state.ts';
import { cellWidth } from '../../../src/screen/cells.ts';
import { ASCII_GLYPHS, UNICODE_GLYPHS } from '../../../src/screen/look.ts';
import { editText } from '../../../src/screen/text-edit.ts';

const controls: ViewControls = {
  hasKeys: true,
  mode: RUN_MODE,
  isPaused: false,
  isStopping: false,
  width: 4,
  limit: undefined,
};

/** A run after four seconds, with so many transfers going on. */
function aRun(active: number) {
  const state = startProgress(0);
  const view = startView();
  applyEvent(state, { type: 'transfer-queued', files: 20, bytes: 20e6 });
  for (let id = 1; id <= active; id++) {
    const path =
      id === 2 ? 'ファイル\x1b[2J/写真.jpg' : `photos/2024/a long name of a file number ${id}.jpg`;
    applyEvent(state, { type: 'transfer-start', id, kind: 'copy', path, size: 1e6 });
  }
  for (let second = 1; second <= 4; second++) {
    for (let id = 1; id <= active; id++)
      applyEvent(state, { type: 'transfer-bytes', id, bytes: id * 10_000 });
    tickRates(state, second * 1000);
    tickView(view, state, second * 1000, false);
  }
  return { state, view };
}

function frame(
  { state, view }: ReturnType<typeof aRun>,
  columns: number,
  rows: number,
  more: Partial<ViewControls> = {},
  glyphs = UNICODE_GLYPHS,
  nowMs = 4000,
) {
  const style = {
    size: { columns, rows },
    look: { colour: false, glyphs, plain: false },
    unit: 'bytes' as const,
  };
  const lines = viewLines(state, view, { ...controls, ...more }, style, nowMs);
  const texts = lines.map((line) =>
    line
      .map(({ text }) => text)
      .join('')
      .trimEnd(),
  );
  for (const text of texts) expect(cellWidth(text)).toBeLessThanOrEqual(columns);
  expect(texts.length).toBeLessThan(rows);
  return texts;
}

test('at 80x24', () => {
  expect(frame(aRun(3), 80, 24)).toMatchInlineSnapshot(`
    [
      "━─────────────────────────────────────────────────────────────────────────   1%",
      "234 KiB of 19 MiB  59 KiB/s  ████  ETA 5m30s",
      "files 0 of 20 · 4s",
      "  photos/2024/a long … file number 1.jpg ╸───────────────   4%  9.8 KiB/s  1m36s",
      "  ファイル␛[2J/写真.jpg                  ━╸──────────────   8%   20 KiB/s    46s",
      "  photos/2024/a long … file number 3.jpg ━━──────────────  12%   29 KiB/s    29s",
      "p pause · q stop · + - transfers 4 · b limit · ? keys",
    ]
  `);
});

test('at 40x12 with more transfers than there is room for', () => {
  expect(frame(aRun(12), 40, 12)).toMatchInlineSnapshot(`
    [
      "━━━━━╸────────────────────────────  15%",
      "3.0 MiB of 19 MiB  762 KiB/s  ETA 21s",
      "files 0 of 20 · 4s",
      "  photos/2024…mber 1.jpg   4%  9.8 KiB/s",
      "  ファイル␛[2J/写真.jpg    8%   20 KiB/s",
      "  photos/2024…mber 3.jpg  12%   29 KiB/s",
      "  photos/2024…mber 4.jpg  16%   39 KiB/s",
      "  photos/2024…mber 5.jpg  20%   49 KiB/s",
      "  photos/2024…mber 6.jpg  24%   59 KiB/s",
      "  and 6 more",
      "p pause · q stop · b limit · ? keys",
    ]
  `);
});

test('without UTF-8', () => {
  expect(frame(aRun(1), 80, 24, {}, ASCII_GLYPHS).join('\n')).toMatch(/^#*-+ +1?\d*%[\s\S]*\|/);
});

test('a terminal of two lines has one left for the view', () => {
  expect(frame(aRun(3), 20, 2)).toHaveLength(1);
});

describe('what is going on beside', () => {
  test('a pause, and what the key then does', () => {
    const text = frame(aRun(1), 80, 24, { isPaused: true }).join('\n');
    expect(text).toContain('paused');
    expect(text).toContain('p resume');
    expect(text).not.toContain('ETA');
  });

  test('a stop says what Ctrl-C would do now', () => {
    const text = frame(aRun(1), 80, 24, { isStopping: true }).join('\n');
    expect(text).toContain('stopping');
    expect(text).toContain('Ctrl-C stops now');
  });

  test('a store that asks to slow down is named for some seconds', () => {
    const run = aRun(1);
    noteEvent(run.view, { type: 'wait', why: 'throttled', ms: 2000, what: 'S3 bucket b' }, 3500);
    expect(frame(run, 80, 24)).toContain('! throttled (1, waiting 1.5 s): S3 bucket b');
    expect(frame(run, 80, 24, {}, UNICODE_GLYPHS, 7000)).toContain('! throttled (1): S3 bucket b');
    expect(frame(run, 80, 24, {}, UNICODE_GLYPHS, 20_000).join('')).not.toContain('slowed');
  });

  test('the last error is named with its path, harmlessly and cut to the width', () => {
    const run = aRun(1);
    const error = new SyncerError('access-denied', `no\x1b[2J ${'x'.repeat(90)}`, { path: 'a/b' });
    applyEvent(run.state, { type: 'error', error });
    const told = frame(run, 60, 24).find((line) => line.startsWith('✗'));
    expect(told).toMatch(/^✗ 1 error: a\/b: no␛\[2J x+…$/);
  });

  test('a limit that is typed, with what is wrong with it', () => {
    const mode = { kind: 'limit', edited: editText('abc'), complaint: 'not a rate' } as const;
    expect(frame(aRun(1), 80, 24, { mode }).at(-1)).toBe(
      'limit (500k, 10M, off): abc_  not a rate',
    );
    expect(frame(aRun(1), 80, 24, { limit: 1024 ** 2 }).join('\n')).toContain('(limit 1.0 MiB/s)');
  });

  test('the keys in place of the transfers', () => {
    const text = frame(aRun(3), 80, 24, { mode: { kind: 'help' } }).join('\n');
    expect(text).toContain('Ctrl-C Ctrl-C  twice: stop immediately');
    expect(text).not.toContain('a long name');
  });

  test('without keys none are told', () => {
    expect(frame(aRun(1), 80, 24, { hasKeys: false }).join('\n')).not.toContain('pause');
  });
});
