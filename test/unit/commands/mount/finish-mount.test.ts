import { expect, test } from 'vitest';
import { finishMount } from '../../../../commands/mount/supervise-mount.ts';
import type { SyncerEvent } from '../../../../src/core/events.ts';
import type { ContentsState } from '../../../../src/vfs/contents/file-contents.ts';

const NOTHING: ContentsState = {
  ...{ uploadsWaiting: 0, uploadsRunning: 0, uploadsFailed: 0, pendingBytes: 0 },
  ...{ cachedBytes: 0, cachedFiles: 0 },
};

/** A mount that ends, and what it does in which order. */
function ending(left: Partial<ContentsState> = {}) {
  const steps: string[] = [];
  const events: SyncerEvent[] = [];
  const settled = Promise.withResolvers<void>();
  const close = async () => void steps.push('close');
  return {
    steps,
    events,
    settled,
    mount: {
      fileSystem: {
        state: () => ({ ...NOTHING, ...left }),
        drain: async () => void steps.push('drain'),
        close,
      },
      session: {
        ...{ ready: Promise.resolve(), ended: Promise.resolve(), writers: () => 0 },
        settled: () => settled.promise,
        stop: () => void steps.push('stop'),
      },
      mountPoint: '/mnt',
      context: { emit: (event: SyncerEvent) => void events.push(event) },
      unmount: async () => void steps.push('unmount'),
    },
  };
}

test.each(['gone', 'drain-and-unmount'] as const)(
  '%s: what is still being closed is waited for before the rest is',
  async (how) => {
    const { mount, steps, settled } = ending();
    const finished = finishMount(how, { ...mount, drainMs: 60_000 });
    await new Promise(setImmediate);
    const before = how === 'gone' ? [] : ['drain', 'unmount'];
    expect(steps).toEqual(before);
    settled.resolve();
    await finished;
    expect(steps).toEqual([...before, 'stop', 'close']);
  },
);

test('what never ends is not waited for longer than the limit', async () => {
  const { mount, steps } = ending();
  await finishMount('gone', { ...mount, drainMs: 1 });
  expect(steps).toEqual(['stop', 'close']);
});

test('what is left is told', async () => {
  const { mount, events, settled } = ending({ uploadsWaiting: 2, uploadsFailed: 1 });
  settled.resolve();
  await finishMount('gone', { ...mount, drainMs: 60_000 });
  const text = expect.stringContaining('/mnt: 3 files are not uploaded yet');
  const fields = { text };
  expect(events).toEqual([{ type: 'log', level: 'notice', code: 'message', fields }]);
});
