import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { collectBody } from '../../../../src/core/body.ts';
import { SyncerError } from '../../../../src/core/errors.ts';
import { membersOf } from '../../../../src/core/members.ts';
import type { Op, Remote, WriteSource } from '../../../../src/core/remote.ts';
import { heldRemote } from '../../../../src/run/presence/remote-lease.ts';
import { memberIn, wholeRemote } from '../../../support/whole-remote.ts';

const op: Op = { signal: new AbortController().signal };

/** A lock that is lost after some checks, and a remote that notes what was written as a whole. */
function heldFor(checks: number) {
  const written: string[] = [];
  const remote = {
    can: {},
    traits: {},
    listPage: async () => ({ entries: [] }),
    stat: async () => undefined,
    read: async () => Buffer.alloc(0),
    close: async () => {},
    delete: async () => new Map(),
    makeDir: async () => {},
    deleteDir: async () => {},
    async write({ path, open }: WriteSource) {
      written.push(`${path} ${await collectBody(await open(undefined, op), op.signal)}`);
      return { kind: 'file', path, size: 0 };
    },
  } as unknown as Remote;
  let left = checks;
  const check = () => {
    if (left-- <= 0) throw new SyncerError('locked', 'lost');
  };
  return { held: heldRemote(remote, { check }), written };
}

const source = (open: WriteSource['open']): WriteSource => ({
  ...{ path: 'a', size: 6, seekable: false, open },
});
const streamed = source(async () =>
  Readable.from(['on', 'et', 'wo'].map((text) => Buffer.from(text))),
);
const whole = source(async () => Buffer.from('onetwo'));

test.each([0, 1, 2, 3, 4, 5])(
  'a file is not completed if the lock is lost at check %i',
  async (checks) => {
    const { held, written } = heldFor(checks);
    await expect(held.write(streamed, op)).rejects.toMatchObject({ code: 'locked' });
    expect(written).toEqual([]);
  },
);

test.each([0, 1])('nor one that is in memory (%i)', async (checks) => {
  const { held, written } = heldFor(checks);
  await expect(held.write(whole, op)).rejects.toMatchObject({ code: 'locked' });
  expect(written).toEqual([]);
});

test('while the lock is held everything is written', async () => {
  const { held, written } = heldFor(Number.POSITIVE_INFINITY);
  await held.write(streamed, op);
  await held.write(whole, op);
  expect(written).toEqual(['a onetwo', 'a onetwo']);
});

/** A lock that is lost, and a remote with every member, which notes the calls that reach it. */
function lostLock() {
  const called: string[] = [];
  const remote = wholeRemote((name) => void called.push(name));
  const check = () => {
    throw new SyncerError('locked', 'lost');
  };
  return { held: heldRemote(remote, { check }), called };
}

test.each(membersOf('changes'))('a lost lock keeps %s from changing anything', async (name) => {
  const { held, called } = lostLock();
  await expect(memberIn(held, name)(streamed, op)).rejects.toMatchObject({ code: 'locked' });
  expect(called).toEqual([]);
});

test('a lost lock keeps nothing from being read', async () => {
  const { held, called } = lostLock();
  const names = membersOf('says', 'lists', 'reads');
  for (const name of names) await memberIn(held, name)();
  expect(called).toEqual(names);
});
