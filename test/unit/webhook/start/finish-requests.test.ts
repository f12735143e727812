import { expect, test } from 'vitest';
import type { Libc } from '../../../../src/system/libc.ts';
import { admitUsr1 } from '../../../../src/webhook/start/finish-requests.ts';

/** A C library that notes calls. */
function notingLibc() {
  const calls: unknown[] = [];
  const func = (name: string) =>
    Object.assign((...args: unknown[]) => calls.push([name, ...args]), { async: () => {} });
  return { calls, libc: { func, errno: () => 0, address: () => 0n } satisfies Libc };
}

const blocked = () => 'Name:\tnode\nSigBlk:\t0000000000000200\n';
const open = () => 'Name:\tnode\nSigBlk:\t0000000000000000\n';

test('a blocked SIGUSR1 is let through', async () => {
  const { calls, libc } = notingLibc();
  expect(await admitUsr1(async () => libc, blocked)).toBeUndefined();
  const set = Buffer.alloc(128);
  set[1] = 2;
  expect(calls).toEqual([['pthread_sigmask', 1, set, null]]);
});

test('without the C library the log says that HUP does what SIGUSR1 would', async () => {
  const none = async () => {
    throw new Error('no koffi');
  };
  expect(await admitUsr1(none, blocked)).toBe(
    'USR1 does nothing here, send HUP to reload: no koffi',
  );
  expect(await admitUsr1(none, open)).toBeUndefined();
});
