import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Remote } from '../../../../src/core/remote.ts';
import {
  freeLease,
  heldRemote,
  parseLease,
  type RemoteLease,
  takeLease,
} from '../../../../src/run/presence/remote-lease.ts';
import { startTestGraph, type TestGraph } from '../../../servers/graph/start-graph.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { openDrive } from '../../../support/open-drive.ts';
import { OP } from '../../../support/open-s3.ts';
import { waitFor } from '../../../support/wait-for.ts';

let graph: TestGraph;
let remotes: Remote[];
afterEach(async () => {
  for (const remote of remotes) await remote.close();
  await graph.stop();
});
beforeEach(() => {
  remotes = [];
});

const record = () => {
  const found = parseLease(String(graph.drive.read('to/.syncer-lock') ?? ''));
  if (found === undefined) throw new Error('no lock');
  return found;
};

/** A run of another machine asks for the lock. */
async function ask(id: string, clock: ManualClock, waitMs = 600_000) {
  const { remote } = await openDrive(graph, 'to');
  remotes.push(remote);
  const asked = {
    remote,
    lease: undefined as RemoteLease | undefined,
    error: undefined as unknown,
  };
  const holder = { id, host: 'h', command: 'syncer sync a d:to' };
  takeLease(remote, holder, { signal: OP.signal, clock }, { waitMs, onWait: () => {} }).then(
    (lease) => {
      asked.lease = lease;
    },
    (thrown) => {
      asked.error = thrown;
    },
  );
  return asked;
}

/** Lets time pass second by second, until something is so; between the steps all requests are answered. */
async function pass(clock: ManualClock, isSo: () => boolean, mostMs = 300_000): Promise<void> {
  for (let ms = 0; !isSo() && ms < mostMs; ms += 1_000) {
    const { sleeping } = clock;
    await clock.advance(1_000);
    await waitFor(() => clock.sleeping >= sleeping || isSo());
  }
  expect(isSo()).toBe(true);
}

test.each(['personal', 'business'] as const)(
  'on a %s drive a frozen holder loses the lock once, and changes nothing after that',
  async (type) => {
    graph = await startTestGraph({ drives: [{ type }] });
    const [clock, frozen] = [new ManualClock(), new ManualClock()];
    const one = await ask('one', frozen);
    await waitFor(() => one.lease !== undefined);
    expect(record()).toMatchObject({ id: 'one', generation: 1, beat: 0 });
    await pass(frozen, () => record().beat === 2);
    const held = heldRemote(one.remote, one.lease as RemoteLease);
    await held.makeDir('before', OP);
    const [two, three] = [await ask('two', clock), await ask('three', clock)];
    await waitFor(() => clock.sleeping === 2);
    await pass(clock, () => two.lease !== undefined || three.lease !== undefined);
    expect(record()).toMatchObject({ generation: 2, isReleased: false });
    expect([two.lease, three.lease].filter((lease) => lease !== undefined)).toHaveLength(1);
    // The old one goes on, and its clock knows how long it stood still before any of its timers does.
    frozen.jump(84_000);
    await expect(held.makeDir('after', OP)).rejects.toMatchObject({ code: 'locked', exit: 75 });
    await frozen.advance(1);
    expect(one.lease?.lost.aborted).toBe(true);
    await one.lease?.release(OP);
    expect(record()).toMatchObject({ generation: 2, isReleased: false });
    expect(graph.drive.find('to/before')).toBeDefined();
    expect(graph.drive.find('to/after')).toBeUndefined();
    for (const each of [two, three]) await each.lease?.release(OP);
    expect(record()).toMatchObject({ generation: 2, isReleased: true });
  },
);

test('a holder whose lock is freed stops', async () => {
  graph = await startTestGraph({ drives: [{ type: 'business' }] });
  const clock = new ManualClock();
  const one = await ask('one', clock);
  await waitFor(() => one.lease !== undefined && clock.sleeping > 0);
  await freeLease(one.remote, 'one', OP);
  await pass(clock, () => one.lease?.lost.aborted === true);
  expect(one.lease?.lost.reason.message).toContain('it was freed with "syncer unlock"');
});
