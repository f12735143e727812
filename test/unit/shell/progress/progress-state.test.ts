import { expect, test } from 'vitest';
import { SyncerError } from '../../../../src/core/errors.ts';
import type { SyncerEvent } from '../../../../src/core/events.ts';
import {
  applyEvent,
  ProgressState,
  totalBytes,
  totalChecks,
  totalTransfers,
} from '../../../../src/shell/progress/progress-state.ts';

function after(...events: readonly SyncerEvent[]) {
  const state = new ProgressState(0);
  for (const event of events) applyEvent(state, event);
  const totals = {
    totalBytes: totalBytes(state),
    totalTransfers: totalTransfers(state),
    totalChecks: totalChecks(state),
  };
  return { ...state, ...totals };
}

const queued = { type: 'transfer-queued', files: 2, bytes: 30 } as const;
const start = { type: 'transfer-start', id: 1, kind: 'copy', path: 'a', size: 10 } as const;
const some = { type: 'transfer-bytes', id: 1, bytes: 4 } as const;

test('a file that waits, begins, moves bytes and ends stays in the totals', () => {
  const totals = { totalBytes: 30, totalTransfers: 2 };
  expect(after(queued)).toMatchObject({ ...totals, bytes: 0, transfers: 0 });
  expect(after(queued, start)).toMatchObject({ ...totals, bytes: 0, transfers: 0 });
  expect(after(queued, start, some)).toMatchObject({ ...totals, bytes: 4 });
  const rest = { ...some, bytes: 6 };
  const end = { type: 'transfer-end', id: 1 } as const;
  const ended = after(queued, start, some, rest, end);
  expect(ended).toMatchObject({ ...totals, bytes: 10, transfers: 1 });
  expect(ended.active.size).toBe(0);
});

test('what was resumed, and waits because of throttling, add up', () => {
  const log = { type: 'log', level: 'info', path: 'a' } as const;
  const upload = { parts: 2, of: 3, bytes: 20, percent: 66 };
  const wait = { type: 'wait', ms: 50, what: 'list' } as const;
  const error = new SyncerError('throttled', 'slow down');
  expect(
    after(
      { ...log, code: 'upload-resumed', fields: upload },
      { ...log, code: 'download-resumed', fields: { bytes: 7, percent: 1 } },
      { ...wait, why: 'throttled', error },
      { ...wait, why: 'throttled', error },
      { ...wait, why: 'retry', error },
    ),
  ).toMatchObject({ resumedUploads: 1, resumedBytes: 27, throttledMs: 100 });
});

test('a transfer that begins anew counts its bytes anew', () => {
  const state = after(queued, start, some, { type: 'transfer-restart', id: 1 }, some, some);
  expect(state).toMatchObject({ bytes: 8, totalBytes: 30 });
  expect(state.active.get(1)?.bytes).toBe(8);
});

test('a transfer that fails is not done', () => {
  const error = new SyncerError('network', 'x');
  const state = after(start, some, { type: 'transfer-end', id: 1, error });
  expect(state).toMatchObject({ transfers: 0, totalTransfers: 1, bytes: 0, totalBytes: 10 });
  const again = after(start, some, { type: 'transfer-end', id: 1, error }, { type: 'retry-run' });
  expect(again).toMatchObject({ totalTransfers: 0, totalBytes: 0 });
});

test('a comparison of contents is counted when its pair is', () => {
  const check = { ...start, kind: 'check' } as const;
  const found = { type: 'check-queued', files: 3 } as const;
  expect(after(found, check)).toMatchObject({ checks: 0, totalChecks: 3, totalTransfers: 0 });
  const end = { type: 'transfer-end', id: 1 } as const;
  const ended = after(found, check, end, { type: 'checked', files: 1 });
  expect(ended).toMatchObject({ checks: 1, totalChecks: 3, transfers: 0 });
});

test.each([
  ['server-move', { transfers: 1, checks: 0, bytes: 10 }],
  ['server-rename', { transfers: 0, checks: 1, bytes: 0 }],
] as const)('a %s counts as in rclone', (kind, counts) => {
  const bytes = { type: 'transfer-bytes', id: 1, bytes: 10 } as const;
  const state = after({ ...start, kind }, bytes, { type: 'transfer-end', id: 1 });
  expect(state).toMatchObject({ ...counts, serverMoves: 1, serverMoveBytes: 10 });
});

test('a file of unknown size adds what it brings', () => {
  const state = after({ ...start, size: -1 }, some);
  expect(state).toMatchObject({ bytes: 4, totalBytes: 4, totalTransfers: 1 });
});

test('deletions, renames and listings add up', () => {
  const deleted = { type: 'deleted', files: 2, dirs: 1, bytes: 5 } as const;
  const state = after(
    deleted,
    deleted,
    { type: 'renamed', files: 3 },
    { type: 'listed', entries: 9 },
  );
  expect(state).toMatchObject({ deletedFiles: 4, deletedDirs: 2, deletedBytes: 10 });
  expect(state).toMatchObject({ renames: 3, listed: 9, checks: 4 });
});

test('errors are counted once each, and forgotten when all is tried again', () => {
  const retry = new SyncerError('network', 'x');
  const fatal = new SyncerError('fatal', 'y');
  const first = { type: 'error', error: retry } as const;
  const second = { type: 'error', error: fatal } as const;
  expect(after(first, second, first)).toMatchObject({
    errors: 2,
    lastError: fatal,
    fatalError: true,
    retryError: true,
  });
  expect(after(first, second, { type: 'retry-run' })).toMatchObject({
    errors: 0,
    lastError: undefined,
    fatalError: false,
    retryError: false,
  });
});
