import { expect, test } from 'vitest';
import { RequestGate } from '../../../../src/core/context.ts';
import { SyncerError } from '../../../../src/core/errors.ts';
import type { SyncerEvent } from '../../../../src/core/events.ts';
import type { Remote } from '../../../../src/core/remote.ts';
import { readLease } from '../../../../src/run/presence/remote-lease.ts';
import { withPlaces } from '../../../../src/run/presence/with-places.ts';
import type { Invocation } from '../../../../src/shell/command-line/command.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { openMemory } from './lease-world.ts';

test('--lock-remote: a request that waited while the process stood still is not sent', async () => {
  const clock = new ManualClock();
  const requestGate = new RequestGate();
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
  await withPlaces(invocation, { remotes, isFile: false }, async ({ context }) => {
    await requestGate.limit?.(context.signal);
    clock.jump(45_000);
    await expect(requestGate.limit?.(context.signal)).rejects.toMatchObject({ code: 'locked' });
    // One that is not of the run, such as an upload that is aborted.
    await requestGate.limit?.(signal);
  });
  expect(requestGate.limit).toBeUndefined();
});

test('--lock-remote: a run that ends after its lock was taken has an error', async () => {
  const clock = new ManualClock();
  const errors: SyncerError[] = [];
  const emit = (event: SyncerEvent) => void (event.type === 'error' && errors.push(event.error));
  const { signal } = new AbortController();
  const remote = openMemory().remote as Remote;
  const begun = (id: string, own: ManualClock) => {
    const [taken, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const over = withPlaces(
      {
        flags: { 'lock-remote': true, 'lock-wait': 100_000 },
        consent: { how: 'all' },
        context: { signal, clock: own, requestGate: new RequestGate(), emit },
        changes: async () => {},
        runId: id,
        shownWords: ['sync', 'a', 'b:'],
      } as unknown as Invocation,
      { remotes: [remote], isFile: false },
      () => {
        taken.resolve();
        return ended.promise;
      },
    );
    const end = () => {
      ended.resolve();
      return over;
    };
    return { taken: taken.promise, end };
  };
  const frozen = begun('frozen', clock);
  await frozen.taken;
  const own = new ManualClock();
  const other = begun('other', own);
  await own.advance(90_000);
  await other.taken;
  await frozen.end();
  expect(errors).toMatchObject([{ code: 'locked', exit: 75 }]);
  await other.end();
  expect(errors).toHaveLength(1);
});

test('--lock-remote: a run whose time is over while it waits leaves no lock behind', async () => {
  const clock = new ManualClock();
  const { signal } = new AbortController();
  const { remote } = openMemory();
  const over = Promise.withResolvers<never>();
  const write = Promise.withResolvers<void>();
  const slow: Remote = {
    ...remote,
    async write(source, op) {
      over.reject(new SyncerError('max-duration', 'the time is over'));
      await write.promise;
      return remote.write(source, op);
    },
  } as Remote;
  const invocation = {
    flags: { 'lock-remote': true },
    consent: { how: 'all' },
    context: { signal, clock, emit: () => {} },
    changes: async () => {},
    runId: 'one',
    shownWords: ['sync', 'a', 'b:'],
  } as unknown as Invocation;
  const run = withPlaces(
    invocation,
    { remotes: [slow], isFile: false },
    async () => expect.unreachable('it did not begin'),
    { context: invocation.context, until: (work) => Promise.race([work, over.promise]) },
  );
  await expect(over.promise).rejects.toThrow();
  write.resolve();
  await expect(run).rejects.toMatchObject({ code: 'max-duration' });
  expect((await readLease(remote as Remote, { signal })) ?? {}).toMatchObject({
    record: { isReleased: true },
  });
});
