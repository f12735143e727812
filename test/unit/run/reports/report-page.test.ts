import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../../../commands/index.ts';
import { SyncerError } from '../../../../src/core/errors.ts';
import type { LogEvent } from '../../../../src/core/events.ts';
import { HeldLog } from '../../../../src/run/progress/run-report.ts';
import { variablesOf } from '../../../../src/run/reports/after-run.ts';
import { reportPage } from '../../../../src/run/reports/report-page.ts';
import {
  ChangeRecorder,
  type FollowedRun,
  type ReportRecord,
  reportRecord,
  summaryText,
} from '../../../../src/run/reports/report-record.ts';
import { allFlags } from '../../../../src/shell/command-line/flag-set.ts';
import { environmentVariables } from '../../../../src/shell/command-line/flag-value.ts';
import { ProgressState } from '../../../../src/shell/progress/progress-state.ts';

const CHROMIUM = '/usr/bin/chromium';
const HOSTILE = `<script>alert("1")</script>/'"&<img src=x onerror=alert(1)>\n\u001b[31m\u202e`;

function note(recorder: ChangeRecorder, event: Omit<LogEvent, 'type' | 'level'>): void {
  recorder.note({ type: 'log', level: 'info', ...event } as LogEvent);
}

const memory = { peak: 130 * 1024 ** 2, limit: 256 * 1024 ** 2 };

function recordOf(
  recorder: ChangeRecorder,
  gone = 0,
  error = new SyncerError('guarded', `guard empty: secret ${HOSTILE}`),
): ReportRecord {
  recorder.finish();
  const clock = { now: () => 1500, monotonic: () => 1500 };
  const run = {
    ...{ id: '20261121-113012-7k3f', words: ['sync', HOSTILE], line: { args: [HOSTILE] } },
    ...{ startedMs: 0, report: { state: new ProgressState(0) }, context: { clock } },
    secrets: { hide: (text: string) => text.replace('secret', '***') },
  } as unknown as FollowedRun;
  const kept = { changes: { delete: 2 }, gone };
  return reportRecord(run, { exit: 21, error, memory, isTrial: false, kept }, recorder);
}

test('the headline has the command and its places, also behind a flag', () => {
  const record = { ...recordOf(new ChangeRecorder(false)), places: ['a', 'b:'] };
  const headlineOf = (...command: string[]) =>
    /<h1>(.*)<\/h1>/.exec(reportPage({ ...record, command }, []))?.[1];
  expect(headlineOf('sync', 'a', 'b:')).toBe('sync a → b:');
  expect(headlineOf('--config', 'file', 'sync', 'a', 'b:')).toBe('a → b:');
});

test('the page and the summary of a run have what the server copied, if it copied something', () => {
  const record = recordOf(new ChangeRecorder(false));
  const bytes = { ...record.bytes, transferred: 5120, copiedByServer: 2048 };
  expect(reportPage({ ...record, bytes }, [])).toContain('Copied by the server</th><td>2 KiB<');
  expect(summaryText({ ...record, bytes })).toContain(
    '\n5120 bytes transferred, 0 bytes deleted, 2048 bytes copied by the server\n',
  );
  expect(reportPage(record, [])).not.toContain('Copied by the server');
  expect(summaryText(record)).not.toContain('copied by the server');
});

test('a run of which nothing can be restored has no command that undoes it', () => {
  const undoOf = (gone: number) => recordOf(new ChangeRecorder(false), gone).undo;
  expect(undoOf(1)).toBe('syncer undo 20261121-113012-7k3f');
  expect(undoOf(2)).toBeUndefined();
});

test('hostile names are text in the page, which loads nothing', () => {
  const recorder = new ChangeRecorder(false);
  note(recorder, { code: 'copied', path: HOSTILE, fields: { how: 'new', to: undefined, size: 3 } });
  note(recorder, {
    code: 'failed',
    path: HOSTILE,
    fields: { error: new SyncerError('other', HOSTILE) },
  });
  const record = recordOf(recorder);
  const page = reportPage(record, recorder.changes);
  expect(page).not.toMatch(/<(script|img|link|iframe|object)|<[^>]*\son\w+=|https?:|url\(/i);
  expect(page).not.toMatch(/[\u001b\u202e]/);
  expect(page).toContain('&lt;script&gt;alert(&quot;1&quot;)');
  expect(page).toContain("default-src 'none'");
  expect(record.error?.message).toContain('***');
  expect(record.memory).toEqual(memory);
  expect(page).toContain('<tr><th>Memory, peak</th><td>130 MiB of 256 MiB</td></tr>');
  expect(record.guard).toBe(record.error?.message);
});

test('a secret in the errors of a run, and of its lock, is in no report', () => {
  const recorder = new ChangeRecorder(false);
  const failure = new SyncerError('other', 'the server said secret');
  note(recorder, { code: 'failed', path: 'f', fields: { error: failure } });
  const record = recordOf(recorder, 0, new SyncerError('locked', 'held by secret'));
  expect(record.errors[0]?.message).toBe('the server said ***');
  expect([record.lock, record.error?.message]).toEqual(['held by ***', 'held by ***']);
  expect(JSON.stringify(record) + reportPage(record, recorder.changes)).not.toContain('secret');
});

test('a page stays small: the rest is counted', () => {
  const recorder = new ChangeRecorder(false);
  for (let at = 0; at < 20_000; at++) {
    const path = `${'d'.repeat(200)}${at % 50}/${'n'.repeat(200)}${at}`;
    note(recorder, { code: 'copied', path, fields: { how: 'new', to: undefined, size: 3 } });
  }
  const page = reportPage(recordOf(recorder), recorder.changes);
  expect(page.length).toBeLessThan(1024 ** 2);
  expect(page).toMatch(/1\d,\d{3} more are not shown/);
});

test('deletions and errors are listed up to a limit, and counted', () => {
  const recorder = new ChangeRecorder(false);
  for (let at = 0; at < 1500; at++) note(recorder, { code: 'deleted', path: `gone${at}` });
  for (let at = 0; at < 60; at++) {
    note(recorder, {
      code: 'failed',
      path: `f${at}`,
      fields: { error: new SyncerError('other', 'x') },
    });
  }
  const record = recordOf(recorder);
  expect([record.deletions.length, record.counts.deleted, record.errors.length]).toEqual([
    1000, 1500, 50,
  ]);
  expect(summaryText(record)).toContain('… 500 more');
  expect(summaryText(record)).toContain('deleted: gone0\n');
});

test('what goes into the backup was replaced or deleted', () => {
  const recorder = new ChangeRecorder(false);
  note(recorder, { code: 'backup-moved', path: 'a' });
  note(recorder, { code: 'backup-moved', path: 'b' });
  note(recorder, { code: 'copied', path: 'a', fields: { how: 'new', to: undefined, size: 1 } });
  const { counts, deletions } = recordOf(recorder);
  expect([counts.replaced, counts.copied, counts.deleted, deletions]).toEqual([1, 0, 1, ['b']]);
});

test('a move deletes nothing but what it has moved', () => {
  const recorder = new ChangeRecorder(true);
  note(recorder, { code: 'copied', path: 'a', fields: { how: 'new', to: undefined, size: 1 } });
  note(recorder, { code: 'deleted', path: 'a' });
  note(recorder, { code: 'deleted', path: 'there before' });
  note(recorder, { code: 'moved', path: 'c', fields: { to: undefined } });
  const { counts } = recordOf(recorder);
  expect([counts.moved, counts.copied, counts.deleted]).toEqual([3, 0, 0]);
});

test('what a move has copied, and could not delete, is only copied', () => {
  const recorder = new ChangeRecorder(true);
  note(recorder, { code: 'copied', path: 'a', fields: { how: 'new', to: undefined, size: 1 } });
  note(recorder, { code: 'copied', path: 'b', fields: { how: 'new', to: 'c', size: 2 } });
  note(recorder, { code: 'deleted', path: 'a' });
  recorder.finish();
  expect([recorder.counts.moved, recorder.counts.copied]).toEqual([1, 1]);
  expect(recorder.changes.map(({ kind, path }) => [kind, path])).toEqual([
    ['moved', 'a'],
    ['copied', 'c'],
  ]);
});

test('an attempt that is made again has its own errors', () => {
  const recorder = new ChangeRecorder(false);
  note(recorder, { code: 'failed', path: 'f', fields: { error: new SyncerError('other', 'x') } });
  recorder.note({ type: 'retry-run' });
  expect(recordOf(recorder).errors).toEqual([]);
});

test('no variable of a command is a flag of syncer', () => {
  const names = allFlags(COMMANDS).flatMap(environmentVariables);
  const own = Object.keys(variablesOf(recordOf(new ChangeRecorder(false))));
  expect(own.length).toBeGreaterThan(5);
  expect(own.filter((name) => names.includes(name))).toEqual([]);
});

test('a held log forgets its oldest lines, and says so', () => {
  const log = new HeldLog();
  for (let at = 0; at < 20; at++) log.write(Buffer.alloc(1024 ** 2, 65 + at));
  const text = log.take().toString();
  expect(text).toMatch(/^\(12 earlier lines of the log are not shown\)\nMMM/);
  expect(log.take()).toHaveLength(0);
});

test.skipIf(!existsSync(CHROMIUM))(
  'a browser shows hostile names as text, and runs nothing',
  async () => {
    const recorder = new ChangeRecorder(false);
    for (const path of [HOSTILE, `${HOSTILE}/below`, '</table></details><style>*{display:none}']) {
      note(recorder, { code: 'copied', path, fields: { how: 'new', to: undefined, size: 3 } });
      note(recorder, {
        code: 'failed',
        path,
        fields: { error: new SyncerError('other', HOSTILE) },
      });
    }
    const page = reportPage(recordOf(recorder), recorder.changes);
    const dir = await mkdtemp(join(tmpdir(), 'report-'));
    try {
      await writeFile(join(dir, 'page.html'), page);
      const { stdout } = await promisify(execFile)(CHROMIUM, [
        ...['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${dir}/profile`],
        ...['--dump-dom', `file://${dir}/page.html`],
      ]);
      expect(stdout).toContain('&lt;script&gt;alert("1")');
      expect(stdout).toContain('&lt;style&gt;*{display:none}');
      expect(stdout).not.toMatch(/<(script|img)/);
      // One style, and all tables where the page has them.
      for (const tag of ['style', 'table', 'details', 'td']) {
        const count = (text: string) => text.split(`<${tag}`).length;
        expect([tag, count(stdout)]).toEqual([tag, count(page)]);
      }
    } finally {
      await rm(dir, { recursive: true, force: true, maxRetries: 5 });
    }
  },
);
