import { expect, test } from 'vitest';
import { transferEvents } from '../../../../commands/ncdu/one-transfer.ts';
import { SyncerError } from '../../../../src/core/errors.ts';

function collected() {
  const got = { files: 0, found: 0, bytes: 0, failed: [] as string[] };
  const events = transferEvents({
    found: (files) => {
      got.found += files;
    },
    bytes: (count) => {
      got.bytes += count;
    },
    done: (files) => {
      got.files += files;
    },
    failed: (path, message) => got.failed.push(`${path}: ${message}`),
    moved: () => {},
  });
  return { got, events, emit: events.emit };
}

const error = new SyncerError('network', 'cut off');

test('bytes of a transfer come to its size, however they were told', () => {
  const { got, emit } = collected();
  emit({ type: 'transfer-queued', files: 2, bytes: 20 });
  emit({ type: 'transfer-start', id: 1, kind: 'copy', path: 'a', size: 10 });
  emit({ type: 'transfer-bytes', id: 1, bytes: 7 });
  emit({ type: 'transfer-restart', id: 1 });
  emit({ type: 'transfer-bytes', id: 1, bytes: 10 });
  emit({ type: 'transfer-end', id: 1 });
  emit({ type: 'transfer-start', id: 2, kind: 'server-copy', path: 'b', size: 10 });
  emit({ type: 'transfer-end', id: 2 });
  emit({ type: 'transfer-start', id: 3, kind: 'check', path: 'c', size: 99 });
  emit({ type: 'transfer-bytes', id: 3, bytes: 99 });
  emit({ type: 'transfer-end', id: 3 });
  expect(got).toEqual({ files: 2, found: 2, bytes: 20, failed: [] });
});

test('a transfer that failed counts for nothing', () => {
  const { got, emit } = collected();
  emit({ type: 'transfer-start', id: 1, kind: 'copy', path: 'a', size: 10 });
  emit({ type: 'transfer-bytes', id: 1, bytes: 7 });
  emit({ type: 'transfer-end', id: 1, error });
  expect([got.files, got.bytes]).toEqual([0, 0]);
});

test('failures that another attempt mends are not told', () => {
  const fields = { doing: 'copy', error } as const;
  const { got, events, emit } = collected();
  emit({ type: 'log', level: 'error', path: 'a', code: 'failed', fields });
  const attempt = { attempt: 1, of: 3, errors: 1, why: error };
  emit({ type: 'log', level: 'error', code: 'attempt-failed', fields: attempt });
  expect(events.failures).toBe(1);
  emit({ type: 'retry-run' });
  emit({ type: 'log', level: 'error', path: 'b', code: 'failed', fields });
  events.finish();
  events.finish();
  expect(got.failed).toEqual(['b: Failed to copy: cut off']);
  expect(events.failures).toBe(1);
});
