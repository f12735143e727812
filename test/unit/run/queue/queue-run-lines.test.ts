import { describe, expect, test } from 'vitest';
import { queueRunLines } from '../../../../src/run/queue/queue-run-lines.ts';
import type { QueueSnapshot } from '../../../../src/run/queue/watch-run.ts';
import { cellWidth } from '../../../../src/terminal/cells.ts';
import { ASCII_GLYPHS, UNICODE_GLYPHS } from '../../../../src/terminal/look.ts';
import { paint } from '../../../../src/terminal/paint.ts';
import { aQueueRun, aWorker } from '../../../support/queue-snapshot.ts';

function frame(
  run: QueueSnapshot,
  columns = 80,
  rows = 24,
  { glyphs = UNICODE_GLYPHS, silentMs = 0 } = {},
) {
  const look = { colour: false, glyphs, plain: false };
  const style = { size: { columns, rows }, look, unit: 'bytes' as const };
  const texts = queueRunLines(run, style, silentMs).map((line) =>
    line.map(({ text }) => text).join(''),
  );
  for (const text of texts) expect(cellWidth(text)).toBeLessThanOrEqual(columns);
  return `\n${texts.map((text) => text.trimEnd()).join('\n')}\n`;
}

describe('a run of a queue as lines', () => {
  test('what is done, its ranges, its workers, and one that is lost', () => {
    expect(frame(aQueueRun())).toMatchInlineSnapshot(`
      "
      run 7k3f  sync lake:data → copy:data
      ██████████████████████████████████████████▎▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁  57%
      copying · 16 MiB of 28 MiB · 2.9 MiB/s · 2 workers, 8 slots · 1m40s
      files 400 of 700 · checks 4,800
      ranges 40 done · 3 running · 1 waiting · 1 failed · 20 extra, deleted at the end
        node-7 99          lost 9 s ago: 2 ranges for others in 6 s
        node-3.example 99  4 slots  1.4 MiB/s  10 ranges  1 s ago
        node-5 99          4 slots  1.4 MiB/s  10 ranges  1 s ago
      "
    `);
  });

  test.each([
    ['check', 'checking', 'differences 20'],
    ['move', 'copying', '20 at the source, deleted at the end'],
  ] as const)('a %s has its own words', (verb, phase, extra) => {
    const run = aQueueRun();
    const text = frame({ ...run, spec: { ...run.spec, verb } }, 100);
    expect(text).toContain(`\n${phase} · `);
    expect(text).toContain(extra);
  });

  test('40 columns, and a terminal without UTF-8', () => {
    expect(frame(aQueueRun(), 40, 24, { glyphs: ASCII_GLYPHS })).toMatchInlineSnapshot(`
      "
      run 7k3f  sync lake:data -> copy:data
      ###################---------------  57%
      copying | 16 MiB of 28 MiB | 2.9 MiB/s
      files 400 of 700 | checks 4,800
      ranges 40 done | 3 running | 1 failed
        node-7 99          lost 9 s ago: 2 ra~
        node-3.example 99  1.4 MiB/s  1 s ago
        node-5 99          1.4 MiB/s  1 s ago
      "
    `);
  });

  test('the phase of deletions has no share, and its extra files are no longer counted', () => {
    const { ledger, state, ...run } = aQueueRun();
    const deleting = {
      ...run,
      ledger: { ...ledger, phase: 'deleting' as const },
      state: { ...state, phase: 'deleting' as const, attempt: 2 },
    };
    expect(frame(deleting)).toMatchInlineSnapshot(`
      "
      run 7k3f  sync lake:data → copy:data
      ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁    -
      deleting · 16 MiB of 28 MiB · 2.9 MiB/s · 2 workers, 8 slots · 1m40s
      files 400 of 700 · checks 4,800 · attempt 2
      ranges 40 done · 3 running · 1 waiting · 1 failed
        node-7 99          lost 9 s ago: 2 ranges for others in 6 s
        node-3.example 99  4 slots  1.4 MiB/s  10 ranges  1 s ago
        node-5 99          4 slots  1.4 MiB/s  10 ranges  1 s ago
      "
    `);
  });

  test('what it waits for: a store, a worker, an answer from the queue', () => {
    const run = aQueueRun();
    const slow = 'the server throttles: 1400 requests/s for all workers';
    const slowed = { ...run, workers: run.workers.map((sign) => ({ ...sign, waitsFor: slow })) };
    expect(frame(slowed).match(/! .*/g)).toEqual([`! waiting: ${slow}`]);
    expect(frame({ ...run, workers: [] })).toContain('! waiting: no worker; start one with');
    expect(frame(run, 80, 24, { silentMs: 12_300 })).toContain('no answer from the queue for 12 s');
  });

  test('a run that has ended: how, and what it came to', () => {
    const { state, ...run } = aQueueRun();
    const ended = (how: 'finished' | 'failed') => ({ ...state, ended: { how, atMs: 3_600_000 } });
    expect(frame({ ...run, state: ended('finished') })).toMatchInlineSnapshot(`
      "
      run 7k3f  sync lake:data → copy:data
      done · 16 MiB · 1h0m
      files 400 · checks 4,800
      ranges 40 done · 1 failed
      "
    `);
    expect(frame({ ...run, state: ended('failed') })).toContain('\nfailed · ');
  });

  test('many workers are counted, lost ones with ranges come first', () => {
    const run = aQueueRun();
    const workers = Array.from({ length: 30 }, (_, at) => aWorker(`n${10 + at}`, { atMs: 99_000 }));
    const many = { ...run, workers: [...workers, ...run.workers] };
    const lines = frame(many, 80, 20).split('\n');
    expect(lines[6]).toContain('node-7 99');
    expect(lines.at(-2)).toBe('  and 26 more workers');
    expect(frame(many, 80, 8).match(/more workers/g)).toHaveLength(1);
  });

  test('names from the queue do nothing to a terminal', () => {
    const { spec, ...run } = aQueueRun();
    const odd = { ...run, spec: { ...spec, source: 's:\u001b[2Jx' } };
    const style = {
      size: { columns: 80, rows: 24 },
      look: { colour: false, glyphs: UNICODE_GLYPHS, plain: false },
      unit: 'bytes' as const,
    };
    const painted = queueRunLines(odd, style, 0).map((line) => paint(line, false));
    expect(painted.join('').split('\u001b[2J')).toHaveLength(1);
  });
});
