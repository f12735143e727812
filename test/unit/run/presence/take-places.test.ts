import { expect, test } from 'vitest';
import { createRequestGate } from '../../../../src/core/context.ts';
import type { SyncerError } from '../../../../src/core/errors.ts';
import type { SyncerEvent } from '../../../../src/core/events.ts';
import type { Remote } from '../../../../src/core/remote.ts';
import { takePlaces } from '../../../../src/run/presence/take-places.ts';
import type { Invocation } from '../../../../src/shell/command-line/command.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { openMemory } from './lease-world.ts';

test('--lock-remote: a request that waited while the process stood still is not sent', async () => {
  const clock = new ManualClock();
  const requestGate = createRequestGate();
  const { signal } = new AbortController();
  const invocation = {
    flags: { 'lock-remote': true },
    consent: { how: 'all' },
    context: { signal, clock, requestGate, emit: () => {} },
    changes: async () => {},
    runId: 'one',
    shownWords: ['sync', 'a', 'b:'],
  } as unknown as Invocation;
  const remotes = [openMemory().remote as Remote];
  const { context, release } = await takePlaces(invocation, { remotes, isFile: false });
  await requestGate.limit?.(context.signal);
  clock.jump(45_000);
  await expect(requestGate.limit?.(context.signal)).rejects.toMatchObject({ code: 'locked' });
  // One that is not of the run, such as an upload that is aborted.
  await requestGate.limit?.(signal);
  await release();
});

test('--lock-remote: a run that ends after its lock was taken has an error', async () => {
  const clock = new ManualClock();
  const errors: SyncerError[] = [];
  const emit = (event: SyncerEvent) => void (event.type === 'error' && errors.push(event.error));
  const { signal } = new AbortController();
  const remote = openMemory().remote as Remote;
  const taking = (id: string, own: ManualClock) =>
    takePlaces(
      {
        flags: { 'lock-remote': true, 'lock-wait': 100_000 },
        consent: { how: 'all' },
        context: { signal, clock: own, requestGate: createRequestGate(), emit },
        changes: async () => {},
        runId: id,
        shownWords: ['sync', 'a', 'b:'],
      } as unknown as Invocation,
      { remotes: [remote], isFile: false },
    );
  const { release } = await taking('frozen', clock);
  const own = new ManualClock();
  const other = taking('other', own);
  await own.advance(90_000);
  const { release: releaseOther } = await other;
  await release();
  expect(errors).toMatchObject([{ code: 'locked', exit: 75 }]);
  await releaseOther();
  expect(errors).toHaveLength(1);
});
