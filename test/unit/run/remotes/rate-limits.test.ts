import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Context } from '../../../../src/core/context.ts';
import type { SyncerEvent } from '../../../../src/core/events.ts';
import type { Bandwidth } from '../../../../src/engine/run.ts';
import { createRunControl } from '../../../../src/engine/run-control.ts';
import {
  bandwidthLimit,
  pausable,
  transactionLimit,
} from '../../../../src/run/remotes/rate-limits.ts';
import { fakedClock } from '../../../support/manual-clock.ts';

beforeEach(() => void vi.useFakeTimers({ now: new Date(2026, 10, 20, 7, 59, 30) }));
afterEach(() => void vi.useRealTimers());

const MIB = 1024 * 1024;
const never = new AbortController().signal;

/** What one file takes from. */
const shareOf = (bandwidth: Bandwidth) => bandwidth.ofFile?.() ?? bandwidth;

function limited(text: string | undefined, ofFile?: string) {
  const events: SyncerEvent[] = [];
  const controller = new AbortController();
  const context: Context = {
    signal: controller.signal,
    clock: fakedClock,
    emit: (event) => void events.push(event),
  };
  return { bandwidth: bandwidthLimit(text, ofFile, context), events, controller };
}

/** How long `work` takes on the clock, in seconds. */
async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  let took = -1;
  void work().then(() => {
    took = performance.now() - before;
  });
  await vi.advanceTimersByTimeAsync(3_600_000);
  return Math.round(took / 1000);
}

const onDisk = { up: false, down: false };

test('bytes pass at the rate, from the first one on', async () => {
  const { bandwidth, events } = limited('1M');
  expect(await secondsOf(() => bandwidth.take(2 * MIB, onDisk, never))).toBe(2);
  expect(events).toMatchObject([
    { level: 'info', fields: { text: 'Bandwidth is limited to 1Mi/s' } },
  ]);
});

test('without a limit nobody waits', async () => {
  const { bandwidth } = limited('off');
  expect(await secondsOf(() => bandwidth.take(1e12, onDisk, never))).toBe(0);
});

test('where the directions differ, each has its rate and the disk has none', async () => {
  const take = (route: { up: boolean; down: boolean }) => () =>
    limited('4M:1M').bandwidth.take(4 * MIB, route, never);
  expect(await secondsOf(take({ up: true, down: false }))).toBe(1);
  expect(await secondsOf(take({ up: false, down: true }))).toBe(4);
  expect(await secondsOf(take(onDisk))).toBe(0);
});

test.each([
  ['1M:2M', 'Bandwidth is limited to 1Mi/s up, 2Mi/s down'],
  ['1M:off', 'Bandwidth is limited to 1Mi/s up'],
  ['off:2M', 'Bandwidth is limited to 2Mi/s down'],
  ['off', 'Bandwidth is not limited'],
])('a limit of %s is told', (text, message) => {
  expect(limited(text).events).toMatchObject([{ level: 'info', fields: { text: message } }]);
});

test('the timetable is followed as time goes by', async () => {
  const { bandwidth, events } = limited('00:00,off 08:00,1M');
  await vi.advanceTimersByTimeAsync(120_000);
  await bandwidth.take(8 * MIB, onDisk, never);
  expect(await secondsOf(() => bandwidth.take(MIB, onDisk, never))).toBe(5);
  expect(events).toMatchObject([
    { level: 'info', fields: { text: 'Bandwidth is not limited' } },
    { level: 'notice', fields: { text: 'Bandwidth is limited to 1Mi/s' } },
  ]);
});

test('the timetable is forgotten when the run ends', () => {
  const { controller } = limited('1M');
  controller.abort();
  expect(vi.getTimerCount()).toBe(0);
});

test('requests go out at the rate, after a burst', async () => {
  const take = transactionLimit(2, 4, fakedClock);
  const many = () => Promise.all(Array.from({ length: 10 }, () => take(never)));
  expect(await secondsOf(many)).toBe(3);
});

test('--bwlimit-file slows each file down on its own', async () => {
  const { bandwidth } = limited(undefined, '1M');
  const both = () => Promise.all([1, 2].map(() => shareOf(bandwidth).take(2 * MIB, onDisk, never)));
  expect(await secondsOf(both)).toBe(2);
  expect(await secondsOf(() => bandwidth.take(100 * MIB, onDisk, never))).toBe(0);
});

test('--bwlimit and --bwlimit-file hold both', async () => {
  const { bandwidth } = limited('1M', '10M');
  const both = () => Promise.all([1, 2].map(() => shareOf(bandwidth).take(2 * MIB, onDisk, never)));
  expect(await secondsOf(both)).toBe(4);
  expect(limited('1M').bandwidth.ofFile).toBeUndefined();
});

test('a limit set while others wait holds for them, and off ends it', async () => {
  const { bandwidth, events } = limited('1k');
  const took = secondsOf(() => bandwidth.take(4 * MIB, onDisk, never));
  bandwidth.limitTo(MIB);
  expect(await took).toBe(4);
  expect(events).toContainEqual(
    expect.objectContaining({ level: 'notice', fields: { text: 'Bandwidth is limited to 1Mi/s' } }),
  );
  bandwidth.limitTo(Number.POSITIVE_INFINITY);
  expect(bandwidth.isLimited()).toBe(false);
  expect(events.at(-1)).toMatchObject({ fields: { text: 'Bandwidth is not limited' } });
  expect(await secondsOf(() => bandwidth.take(1e12, onDisk, never))).toBe(0);
});

const textsOf = (events: readonly SyncerEvent[]) =>
  events.map((event) => (event as { fields?: { text?: string } }).fields?.text);

test('SIGUSR2 switches the limit off for those who wait, and on again, in the words of rclone', async () => {
  const { bandwidth, events } = limited('1M:512k');
  const route = { up: true, down: false };
  const waits = secondsOf(() => bandwidth.take(1e12, route, never));
  bandwidth.toggle();
  expect(await waits).toBe(0);
  expect(bandwidth.limit()).toBe(Number.POSITIVE_INFINITY);
  bandwidth.toggle();
  expect(await secondsOf(() => bandwidth.take(4 * MIB, route, never))).toBe(4);
  expect(textsOf(events)).toEqual([
    'Bandwidth is limited to 1Mi/s up, 512Ki/s down',
    'Bandwidth limit disabled by user (now off)',
    'Bandwidth limit enabled by user (now 1Mi:512Ki)',
  ]);
});

test('a timetable goes on while SIGUSR2 has switched the limit off', async () => {
  const { bandwidth, events } = limited('00:00,1M 08:00,2M 08:02,off');
  bandwidth.toggle();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await secondsOf(() => bandwidth.take(1e12, onDisk, never))).toBe(0);
  bandwidth.toggle();
  expect(textsOf(events)).toEqual([
    'Bandwidth is limited to 1Mi/s',
    'Bandwidth limit disabled by user (now off)',
    'Bandwidth is limited to 2Mi/s when the limit is on again',
    'Bandwidth is not limited when the limit is on again',
    'SIGUSR2 is ignored: no bandwidth limit is set',
  ]);
});

test('a limit that is set ends what SIGUSR2 has switched off', async () => {
  const { bandwidth } = limited('1M');
  bandwidth.toggle();
  bandwidth.limitTo(2 * MIB);
  expect(await secondsOf(() => bandwidth.take(4 * MIB, onDisk, never))).toBe(2);
});

test('without flags there is no limit, and none is told, until one is set', async () => {
  const { bandwidth, events } = limited(undefined);
  expect(bandwidth.isLimited()).toBe(false);
  expect(await secondsOf(() => bandwidth.take(1e12, onDisk, never))).toBe(0);
  expect(events).toEqual([]);
  bandwidth.limitTo(MIB);
  expect(bandwidth.isLimited()).toBe(true);
  expect(await secondsOf(() => shareOf(bandwidth).take(4 * MIB, onDisk, never))).toBe(4);
});

test.each([
  ['all transfers', '1M', undefined],
  ['each file', undefined, '1M'],
])(
  'a pause gathers no bandwidth, and lets nothing through: limit of %s',
  async (_, all, ofFile) => {
    const control = createRunControl(() => {});
    const bandwidth = pausable(limited(all, ofFile).bandwidth, control);
    const file = shareOf(bandwidth);
    // Four wait when the pause begins, and another one begins after it.
    let passed = 0;
    const take = async (of: Pick<typeof bandwidth, 'take'>) => {
      await of.take(MIB, onDisk, never);
      passed++;
    };
    for (let n = 0; n < 4; n++) void take(file);
    await vi.advanceTimersByTimeAsync(100);
    control.pause();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(passed).toBe(0);
    control.goOn();
    void take(all === undefined ? file : shareOf(bandwidth));
    await vi.advanceTimersByTimeAsync(900);
    expect(passed).toBe(0);
    await vi.advanceTimersByTimeAsync(2_200);
    expect(passed).toBe(3);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(passed).toBe(5);
  },
);

test('what waited before a short pause is counted once', async () => {
  const control = createRunControl(() => {});
  const bandwidth = pausable(limited('1M').bandwidth, control);
  const taken = Promise.all(Array.from({ length: 20 }, () => bandwidth.take(MIB, onDisk, never)));
  await vi.advanceTimersByTimeAsync(500);
  control.pause();
  await vi.advanceTimersByTimeAsync(100);
  control.goOn();
  expect(await secondsOf(() => taken)).toBe(19);
});

test('unused bandwidth of a pause between two files is gone', async () => {
  const control = createRunControl(() => {});
  const bandwidth = pausable(limited('1M').bandwidth, control);
  await secondsOf(() => shareOf(bandwidth).take(MIB, onDisk, never));
  control.pause();
  await vi.advanceTimersByTimeAsync(60_000);
  control.goOn();
  const files = [shareOf(bandwidth), shareOf(bandwidth)];
  const taken = Promise.all(files.map((file) => file.take(2 * MIB, onDisk, never)));
  expect(await secondsOf(() => taken)).toBe(4);
});

test('nothing passes while the run is paused', async () => {
  const control = createRunControl(() => {});
  const bandwidth = pausable(limited(undefined).bandwidth, control);
  control.pause();
  setTimeout(() => control.goOn(), 60_000);
  expect(await secondsOf(() => bandwidth.take(1, onDisk, never))).toBe(60);
  control.pause();
  setTimeout(() => control.goOn(), 30_000);
  expect(await secondsOf(() => shareOf(bandwidth).take(1, onDisk, never))).toBe(30);
  expect(bandwidth.isLimited()).toBe(false);
});
