import { expect, test } from 'vitest';
import type { WatchPlan } from '../../../../src/core/changes.ts';
import { systemClock } from '../../../../src/core/context.ts';
import { SyncerError } from '../../../../src/core/errors.ts';
import { createRunControl } from '../../../../src/engine/run-control.ts';
import { passAllFilter } from '../../../../src/filter/filter.ts';
import { type Watch, watchAndRun } from '../../../../src/run/transfer/watch.ts';
import type { RunOverview } from '../../../../src/shell/progress/row-lines.ts';
import { UNICODE_GLYPHS } from '../../../../src/terminal/look.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

test('the view of a run says that it watches while nothing is to be done', async () => {
  const ending = new AbortController();
  const context = { signal: ending.signal, emit: () => {}, clock: systemClock };
  const plans: WatchPlan[] = [];
  const shown: string[] = [];
  const lineOf = (overview: RunOverview) => {
    const look = { colour: false, glyphs: UNICODE_GLYPHS, plain: false };
    const lines = overview({ size: { columns: 40, rows: 24 }, look, unit: 'bytes' });
    return lines.flat().map(({ text }) => text);
  };
  const watch = watchAndRun(context, {
    source: {
      title: '',
      can: {
        async watch(plan) {
          plans.push(plan);
          return { dirs: 1, assertSameRoot: () => {} };
        },
      },
    },
    ...{ about: 'ws', filter: passAllFilter, delayMs: 1 },
    async run() {
      shown.push('run');
    },
    overview(overview) {
      shown.push(...(overview === undefined ? ['figures'] : lineOf(overview)));
    },
  });
  const idle = 'watching ws, last run 0 s ago';
  await expect.poll(() => shown).toEqual(['run', idle]);
  plans[0]?.onChange('', false);
  await expect.poll(() => shown).toEqual(['run', idle, 'figures', 'run', idle]);
  ending.abort(new Error('stopped'));
  await expect(watch).rejects.toThrow('stopped');
  expect(shown.at(-1)).toBe('figures');
});

test.each([
  [true, 'stopped watching'],
  [false, 'stopped by the user before completion'],
])(
  'what a watch says that is stopped while it waits (all is copied: %s)',
  async (isDone, message) => {
    const control = createRunControl((reason) => expect.unreachable(reason.message));
    const plans: WatchPlan[] = [];
    let runs = 0;
    const watch = watchAndRun(
      { signal: new AbortController().signal, emit: () => {}, clock: systemClock },
      {
        source: {
          title: '',
          can: {
            async watch(plan) {
              plans.push(plan);
              return { dirs: 1, assertSameRoot: () => {} };
            },
          },
        },
        ...{ about: 'ws', filter: passAllFilter, delayMs: 10_000, overview: undefined, control },
        run: async () => void runs++,
      },
    );
    await expect.poll(() => runs).toBe(1);
    if (!isDone) plans[0]?.onChange('', false);
    control.stop();
    await expect(watch).rejects.toMatchObject({ code: 'stopped', message });
  },
);

/** Starts a watch whose runs do `run`; `start` is called before its directories are watched. */
function startWatch(
  run: (plans: WatchPlan[]) => void,
  start: (plan: WatchPlan) => void = () => {},
  more: Pick<Watch, 'isRestless'> = {},
) {
  const clock = new ManualClock();
  const ending = new AbortController();
  const plans: WatchPlan[] = [];
  const ended = watchAndRun(
    { signal: ending.signal, emit: () => {}, clock },
    {
      source: {
        title: '',
        can: {
          async watch(plan, { signal }) {
            start(plan);
            signal.throwIfAborted();
            plans.push(plan);
            return { dirs: 1, assertSameRoot: () => {} };
          },
        },
      },
      ...{ about: 'ws', filter: passAllFilter, delayMs: 1, overview: undefined, ...more },
      run: async () => run(plans),
    },
  );
  return { clock, plans, ended, stop: () => ending.abort(new Error('stopped')) };
}

test('what changes during a run that fails again and again need not wait for the longest pause', async () => {
  let runs = 0;
  const { clock, ended, stop } = startWatch((plans) => {
    if (++runs === 4) plans[0]?.onChange('new', false);
    throw new SyncerError('other', 'failed');
  });
  await clock.advance(5000 + 10_000 + 20_000);
  expect(runs).toBe(4);
  await clock.advance(5000);
  expect(runs).toBe(5);
  // Nothing has changed: the pauses grow as before.
  await clock.advance(79_999);
  expect(runs).toBe(5);
  stop();
  await expect(ended).rejects.toThrow('stopped');
});

test('a network that fails when all is watched again does not end the watch, but at the start', async () => {
  let isDown = false;
  let runs = 0;
  const start = () => {
    if (isDown) throw new SyncerError('network', 'no network');
  };
  const { clock, plans, ended, stop } = startWatch(() => void runs++, start);
  await clock.advance(0);
  expect(runs).toBe(1);
  isDown = true;
  plans[0]?.onLost(new SyncerError('network', 'no network'));
  await clock.advance(2000);
  expect(runs).toBe(1);
  isDown = false;
  await clock.advance(5000);
  expect(runs).toBe(2);
  stop();
  await expect(ended).rejects.toThrow('stopped');
  isDown = true;
  await expect(startWatch(() => {}, start).ended).rejects.toThrow('no network');
});

test('too many changes while directories begin to be watched: everything is looked at, and they are watched later', async () => {
  let runs = 0;
  let floods = 2;
  const start = (plan: WatchPlan) => void (floods-- > 0 && plan.onLost());
  const { clock, plans, ended, stop } = startWatch(() => void runs++, start);
  await clock.advance(0);
  expect([runs, plans.length]).toEqual([1, 0]);
  await clock.advance(1000);
  expect([runs, plans.length]).toEqual([3, 1]);
  plans[0]?.onChange('', false);
  await clock.advance(1000);
  expect(runs).toBe(4);
  stop();
  await expect(ended).rejects.toThrow('stopped');
});

test('a run that did what an earlier one had undone keeps the next one waiting, longer each time', async () => {
  let runs = 0;
  const change = (plans: WatchPlan[]) => {
    runs++;
    plans[0]?.onChange('d', false);
  };
  const { clock, ended, stop } = startWatch(change, undefined, { isRestless: () => true });
  await clock.advance(4_999);
  expect(runs).toBe(1);
  await clock.advance(10);
  expect(runs).toBe(2);
  await clock.advance(9_980);
  expect(runs).toBe(2);
  await clock.advance(100);
  expect(runs).toBe(3);
  stop();
  await expect(ended).rejects.toThrow('stopped');
});
