import { beforeEach, expect, test } from 'vitest';
import { SyncerError } from '../../../../src/core/errors.ts';
import {
  freeLease,
  heldRemote,
  type LeaseRemote,
  parseLease,
  type RemoteLease,
  takeLease,
} from '../../../../src/run/presence/remote-lease.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { openMemory } from './lease-world.ts';

let clock: ManualClock;
let store: ReturnType<typeof openMemory>;
beforeEach(() => {
  clock = new ManualClock();
  store = openMemory();
});

const op = { signal: new AbortController().signal };
const record = () => {
  const found = parseLease(store.text() ?? '');
  if (found === undefined) throw new Error('no lock');
  return found;
};

/** A run asks for the lock; what came of it. */
function ask(id: string, waitMs = 0, remote: LeaseRemote = store.remote, own = clock) {
  const told: string[] = [];
  const asked = {
    told,
    lease: undefined as RemoteLease | undefined,
    error: undefined as SyncerError | undefined,
  };
  const holder = { id, host: 'h', command: `syncer sync a ${id}` };
  const onWait = (other: { readonly id: string }) => void told.push(other.id);
  const context = { signal: op.signal, clock: own };
  takeLease(remote, holder, context, { waitMs, onWait }).then(
    (lease) => {
      asked.lease = lease;
    },
    (thrown) => {
      asked.error = thrown;
    },
  );
  return asked;
}

test('a free lock is taken, renewed and released, and taken again', async () => {
  const one = ask('one');
  await clock.advance(0);
  expect(record()).toMatchObject({ id: 'one', generation: 1, beat: 0, isReleased: false });
  await clock.advance(60_000);
  expect(record().beat).toBe(4);
  one.lease?.check();
  await one.lease?.release(op);
  expect(record()).toMatchObject({ id: 'one', isReleased: true });
  await clock.advance(300_000);
  expect(record().beat).toBe(5);
  const two = ask('two');
  await clock.advance(0);
  expect(record()).toMatchObject({ id: 'two', generation: 2 });
  await two.lease?.release(op);
});

test('a lock that is renewed is busy, with its holder', async () => {
  ask('one');
  await clock.advance(0);
  const two = ask('two');
  await clock.advance(20_000);
  expect(two.told).toEqual(['one']);
  expect(two.error).toMatchObject({
    code: 'locked',
    exit: 75,
    message: 'store is locked by run one on h: syncer sync a one',
  });
  expect(record()).toMatchObject({ id: 'one', generation: 1 });
});

test('a run that waits gets the lock when it is released', async () => {
  const one = ask('one');
  await clock.advance(0);
  const two = ask('two', 600_000);
  await clock.advance(100_000);
  expect([two.lease, two.error]).toEqual([undefined, undefined]);
  await one.lease?.release(op);
  await clock.advance(5_000);
  expect(two.lease).toBeDefined();
  await two.lease?.release(op);
});

test('a frozen holder loses it once, and changes nothing after that', async () => {
  const frozen = new ManualClock();
  const one = ask('one', 0, store.remote, frozen);
  await frozen.advance(0);
  const changes: string[] = [];
  const held = heldRemote(store.full(changes), one.lease as RemoteLease);
  await held.makeDir('before', op);
  // The process of the holder stands still: neither its timers nor its clock go on.
  const [two, three] = [ask('two', 600_000), ask('three', 600_000)];
  await clock.advance(74_000);
  expect([two.lease, three.lease]).toEqual([undefined, undefined]);
  await clock.advance(10_000);
  expect([two.lease, three.lease].filter((lease) => lease !== undefined)).toHaveLength(1);
  expect(record()).toMatchObject({ generation: 2 });
  // It goes on, and its clock knows how long it stood still before any of its timers does.
  frozen.jump(84_000);
  await expect(held.makeDir('after', op)).rejects.toMatchObject({ code: 'locked' });
  await expect(held.can.purge?.('after', op)).rejects.toThrow('lost the lock of store');
  expect(changes).toEqual(['before']);
  await frozen.advance(1);
  expect(one.lease?.lost.reason).toMatchObject({ exit: 75 });
  expect(record().generation).toBe(2);
});

test('a holder that was frozen after its last change learns at its release that the lock was taken', async () => {
  const frozen = ask('frozen');
  await clock.advance(0);
  const own = new ManualClock();
  const other = ask('other', 0, store.remote, own);
  await own.advance(80_000);
  expect(record()).toMatchObject({ id: 'other', generation: 2 });
  await frozen.lease?.release(op);
  expect(frozen.lease?.lost.reason).toMatchObject({ code: 'locked' });
  expect(record()).toMatchObject({ id: 'other', isReleased: false });
  await other.lease?.release(op);
  expect(other.lease?.lost.aborted).toBe(false);
});

const other = { id: 'other', host: 'h', command: 'c', generation: 2, beat: 0, isReleased: false };

test.each([
  ['was taken', 'another run has taken it', () => store.put(JSON.stringify(other))],
  ['was freed', 'freed with "syncer unlock"', () => freeLease(store.remote, 'one', op)],
  ['was deleted', '.syncer-lock was deleted', async () => void (await store.remote.delete([], op))],
  ['is other content', '.syncer-lock is not a lock any more', () => store.put('other')],
])('a holder whose lock %s stops at its next renewal, and says so', async (_, why, change) => {
  const one = ask('one');
  await clock.advance(0);
  await change();
  await clock.advance(15_000);
  expect(one.lease?.lost.reason?.message).toContain(why);
  const now = store.text();
  await one.lease?.release(op);
  expect(store.text()).toBe(now);
});

test('a lock that is deleted just before it is taken over is taken', async () => {
  await store.put(JSON.stringify({ ...other, isReleased: true }));
  const remote: LeaseRemote = {
    ...store.remote,
    async read(...args) {
      const body = await store.remote.read(...args);
      await store.remote.delete([], op);
      return body;
    },
  };
  const one = ask('one', 0, remote);
  await clock.advance(10_000);
  expect(one.error).toBeUndefined();
  expect(record()).toMatchObject({ id: 'one', generation: 1 });
  await one.lease?.release(op);
});

test('renewals that fail are tried again; after 45 s without one the lock is lost', async () => {
  const one = ask('one');
  await clock.advance(0);
  store.fail(new SyncerError('network', 'gone'));
  await clock.advance(40_000);
  one.lease?.check();
  store.fail(undefined);
  await clock.advance(4_000);
  expect(record().beat).toBe(1);
  store.fail(new SyncerError('network', 'gone'));
  await clock.advance(46_000);
  expect(one.lease?.lost.aborted).toBe(true);
  expect(() => one.lease?.check()).toThrow('lost the lock of store');
});

test('a write whose response was lost counts', async () => {
  store.loseResponse();
  const one = ask('one');
  await clock.advance(0);
  expect(one.lease).toBeDefined();
  store.loseResponse();
  await clock.advance(30_000);
  expect(one.lease?.lost.aborted).toBe(false);
  await one.lease?.release(op);
  expect(record().isReleased).toBe(true);
});

test('a server that ignores conditions is refused, and keeps no lock', async () => {
  store.ignoreConditions();
  const one = ask('one');
  await clock.advance(0);
  expect(one.error?.message).toContain('its server ignores the conditions of writes');
  expect(store.text()).toBeUndefined();
});

test('what has no conditional writes is refused, and local directories', async () => {
  const { can: _, ...rest } = store.remote;
  const plain = ask('one', 0, { ...rest, can: {} });
  const local = ask('one', 0, { ...store.remote, traits: { ...rest.traits, onDisk: true } });
  await clock.advance(0);
  expect(plain.error?.message).toContain('store cannot hold a lock');
  expect(local.error?.message).toContain('--lock-remote is not for local directories');
});

test('a file that is no lock is left alone', async () => {
  await store.put('mine');
  const one = ask('one');
  await clock.advance(0);
  expect(one.error?.message).toContain('is not a lock of syncer');
  expect(store.text()).toBe('mine');
});

test('unlock frees a lock that is renewed just then', async () => {
  const one = ask('one');
  await clock.advance(0);
  let isFirst = true;
  const remote: LeaseRemote = {
    ...store.remote,
    async write(...args) {
      if (isFirst) await clock.advance(15_000);
      isFirst = false;
      return store.remote.write(...args);
    },
  };
  await freeLease(remote, 'one', op);
  expect(record()).toMatchObject({ id: 'one', beat: 2, isReleased: true });
  await clock.advance(15_000);
  expect(one.lease?.lost.aborted).toBe(true);
});

test('unlock of a lock that changes all the time ends', async () => {
  await store.put(JSON.stringify({ ...other, id: 'one' }));
  const remote: LeaseRemote = {
    ...store.remote,
    write: () => Promise.reject(new SyncerError('precondition-failed', 'changed')),
  };
  await expect(freeLease(remote, 'one', op)).rejects.toMatchObject({
    code: 'locked',
    message: 'cannot free the lock of store: it changed 5 times just then',
  });
});

test('unlock frees the lock of the run that it names, and no other', async () => {
  await expect(freeLease(store.remote, 'one', op)).rejects.toThrow('store is not locked');
  ask('one');
  await clock.advance(0);
  await expect(freeLease(store.remote, 'two', op)).rejects.toThrow('run two does not hold');
  await freeLease(store.remote, 'one', op);
  expect(record().isReleased).toBe(true);
});

test('what is no record is none', () => {
  const whole = { id: 'a', host: 'h', command: 'c', generation: 1, beat: 0, isReleased: false };
  expect(parseLease(`${JSON.stringify(whole)}\n`)).toEqual(whole);
  for (const wrong of [{ id: 1 }, { beat: 'x' }, { isReleased: 0 }]) {
    expect(parseLease(JSON.stringify({ ...whole, ...wrong }))).toBeUndefined();
  }
});
