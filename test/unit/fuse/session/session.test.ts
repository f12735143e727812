import { expect, test } from 'vitest';
import { SyncerError } from '../../../../src/core/errors.ts';
import type { SyncerEvent } from '../../../../src/core/events.ts';
import { ERRNO } from '../../../../src/fuse/session/errno.ts';
import { KernelInvalidations } from '../../../../src/fuse/session/invalidations.ts';
import { Session, type SessionSettings } from '../../../../src/fuse/session/session.ts';
import { messageOf } from '../../../../src/shell/log/words.ts';
import { fakeKernel, packed } from '../../../support/fake-fuse-device.ts';
import { memoryMountOps } from '../../../support/memory-mount-ops.ts';

const usual: SessionSettings = {
  ...{
    maxReadAhead: 131072,
    writeBackCache: false,
    asyncRead: true,
    allowIdmap: false,
    attrTimeoutMs: 1000,
  },
  ...{ directIo: false, requestLimitMs: undefined, onlyUser: undefined, logsRequests: false },
};

async function mounted(settings: Partial<SessionSettings> = {}, uid = 0, offered = 0xffffffff) {
  const kernel = fakeKernel(uid);
  const ops = memoryMountOps();
  const events: SyncerEvent[] = [];
  const session = new Session(kernel.device, ops, { ...usual, ...settings }, (event) =>
    events.push(event),
  );
  await kernel.ask('init', 0, packed(7, 40, 1 << 20, offered));
  await session.ready;
  const create = async (name: string) => {
    const { body } = await kernel.ask('create', 1, packed(2, 0o644, 0, 0, name));
    return { inode: Number(body.readBigUInt64LE(0)), handle: body.readBigUInt64LE(128) };
  };
  return { kernel, ops, session, events, create };
}

/** @param flags those of the write, and those of the descriptor as open(2) has them */
const writeBody = (
  handle: bigint,
  offset: bigint,
  text: string,
  flags: [number, number] = [0, 0],
) =>
  Buffer.concat([
    packed(handle, offset, text.length, flags[0], 0n, flags[1], 0),
    Buffer.from(text),
  ]);

test('a file is made, written, read and given back', async () => {
  const { kernel, ops, session, create } = await mounted();
  const { inode, handle } = await create('a');
  expect(session.writers()).toBe(1);
  const written = await kernel.ask('write', inode, writeBody(handle, 5n * 2n ** 10n, 'hello'));
  expect(written.body.readUInt32LE(0)).toBe(5);
  const read = await kernel.ask('read', inode, packed(handle, 5n * 2n ** 10n, 4096, 0, 0n, 0, 0));
  expect(read.body.toString()).toBe('hello');
  await kernel.ask('release', inode, packed(handle, 0, 0, 0n));
  expect([session.writers(), ops.opened()]).toEqual([0, 0]);
  await kernel.ask('unlink', 1, packed('a'));
  kernel.tell('forget', inode, packed(1n));
  await kernel.ask('statFs', 1);
  expect(ops.known()).toBe(1);
});

const O_APPEND = 0o2000;
const FUSE_WRITE_CACHE = 1;
const FUSE_WRITEBACK_CACHE = 1 << 16;

test.each([
  ['a write at the end', false, 0, O_APPEND, 'one two three TWO'],
  ['by a descriptor that does not append any more', false, 0, 0, 'one TWO three '],
  ['a page of a mapping', false, FUSE_WRITE_CACHE, O_APPEND, 'one TWO three '],
  ['by a kernel that gathers writes', true, 0, O_APPEND, 'one TWO three '],
] as const)('where bytes go: %s', async (_what, writeBackCache, writeFlags, openFlags, result) => {
  const { kernel, create } = await mounted({ writeBackCache });
  const { inode, handle } = await create('a');
  await kernel.ask('write', inode, writeBody(handle, 0n, 'one two three '));
  await kernel.ask('write', inode, writeBody(handle, 4n, 'TWO', [writeFlags, openFlags]));
  const { body } = await kernel.ask('read', inode, packed(handle, 0n, 100, 0, 0n, 0, 0));
  expect(body.toString()).toBe(result);
});

test('a kernel that cannot gather writes leaves it to the mount where the end is', async () => {
  const { kernel, create } = await mounted({ writeBackCache: true }, 0, ~FUSE_WRITEBACK_CACHE);
  const { inode, handle } = await create('a');
  await kernel.ask('write', inode, writeBody(handle, 0n, 'one '));
  await kernel.ask('write', inode, writeBody(handle, 0n, 'two', [0, O_APPEND]));
  const { body } = await kernel.ask('read', inode, packed(handle, 0n, 100, 0, 0n, 0, 0));
  expect(body.toString()).toBe('one two');
});

test('a missing name is an entry without inode that may be kept', async () => {
  const { kernel } = await mounted();
  const { error, body } = await kernel.ask('lookup', 1, packed('nope'));
  expect([error, body.readBigUInt64LE(0), body.readBigUInt64LE(16)]).toEqual([0, 0n, 1n]);
});

test('directories come block by block, every entry once, and count lookups where told with attributes', async () => {
  const { kernel, ops } = await mounted();
  for (let i = 0; i < 50; i++) await kernel.ask('makeDir', 1, packed(0o755, 0, `dir-${i}`));
  const opened = await kernel.ask('openDir', 1, packed(0, 0));
  const handle = opened.body.readBigUInt64LE(0);
  const names: string[] = [];
  for (let offset = 0n, isDone = false; !isDone; ) {
    const { body } = await kernel.ask('readDirPlus', 1, packed(handle, offset, 1000, 0, 0n, 0, 0));
    isDone = body.length === 0;
    for (let at = 0; at < body.length; ) {
      const length = body.readUInt32LE(at + 144);
      names.push(body.toString('utf8', at + 152, at + 152 + length));
      offset = body.readBigUInt64LE(at + 136);
      at += (152 + length + 7) & ~7;
    }
  }
  expect(names).toEqual(['.', '..', ...Array.from({ length: 50 }, (_, i) => `dir-${i}`)]);
  await kernel.ask('releaseDir', 1, packed(handle, 0, 0, 0n));
  for (let i = 0; i < 50; i++) await kernel.ask('removeDir', 1, packed(`dir-${i}`));
  const twice = Array.from({ length: 50 }, (_, i) => [BigInt(i + 2), 2n]).flat();
  kernel.tell('batchForget', 0, packed(50, 0, ...twice));
  await kernel.ask('statFs', 1);
  expect([ops.known(), ops.opened()]).toEqual([1, 0]);
});

test('what the kernel did not take is undone: lookups and open files', async () => {
  const { kernel, ops } = await mounted();
  kernel.refused.add(4);
  kernel.tell('create', 1, packed(2, 0o644, 0, 0, 'a'));
  await kernel.ask('unlink', 1, packed('a'));
  await kernel.ask('statFs', 1);
  expect([ops.known(), ops.opened()]).toEqual([1, 0]);
});

test('a handler that throws is answered for', async () => {
  const { kernel, ops, events } = await mounted();
  ops.before = () => {
    throw new TypeError('a fault');
  };
  expect((await kernel.ask('getAttributes', 1, packed(0, 0, 0n))).error).toBe(ERRNO.EIO);
  expect(events).toContainEqual(expect.objectContaining({ type: 'log', level: 'error' }));
});

test('no file has 2^53 bytes or more', async () => {
  const { kernel, create } = await mounted();
  const { inode, handle } = await create('a');
  const truncate = packed(8, 0, handle, 1n << 62n, 0n, 0n, 0n, 0n, 0n, 0n, 0n);
  expect((await kernel.ask('setAttributes', inode, truncate)).error).toBe(ERRNO.EFBIG);
  const write = kernel.ask('write', inode, writeBody(handle, 1n << 62n, 'x'));
  expect((await write).error).toBe(ERRNO.EFBIG);
});

test('the log says where something failed, as far as that is known', async () => {
  const { kernel, ops, events } = await mounted();
  const paths = new Map([
    [1, ''],
    [5, 'dir/f'],
  ]);
  ops.pathOf = (inode) => paths.get(inode);
  ops.before = () => {
    throw new SyncerError('other', 'dir/f: the disk is broken');
  };
  for (const inode of [1, 5, 7]) await kernel.ask('flush', inode, packed(1n, 0, 0, 0n));
  expect(events.map((event) => event.type === 'log' && [event.path, messageOf(event)])).toEqual([
    ['/', 'flush: dir/f: the disk is broken'],
    ['dir/f', 'flush: the disk is broken'],
    [undefined, 'flush of inode 7: dir/f: the disk is broken'],
  ]);
});

test('what there is not: links, attributes of other kinds, operations nobody knows', async () => {
  const { kernel } = await mounted();
  expect((await kernel.ask('symlink', 1, packed('a', 'b'))).error).toBe(ERRNO.EPERM);
  expect((await kernel.ask('link', 1, packed(1n, 'b'))).error).toBe(ERRNO.EPERM);
  expect((await kernel.ask('makeNode', 1, packed(0o010644, 0, 0, 0, 'p'))).error).toBe(ERRNO.EPERM);
  expect((await kernel.ask('getXattr', 1, packed(0, 0, 'user.a'))).error).toBe(ERRNO.ENOSYS);
  expect((await kernel.ask(43, 1)).error).toBe(ERRNO.ENOSYS);
  expect((await kernel.ask('access', 1, packed(4, 0))).error).toBe(ERRNO.ENOSYS);
  const long = packed(0o755, 0, 'x'.repeat(256));
  expect((await kernel.ask('makeDir', 1, long)).error).toBe(ERRNO.ENAMETOOLONG);
});

test('renameat2: no replacing, and no exchange', async () => {
  const { kernel, create } = await mounted();
  await create('a');
  await create('b');
  const rename = (flags: number) => kernel.ask('rename2', 1, packed(1n, flags, 0, 'a', 'b'));
  expect((await rename(1)).error).toBe(ERRNO.EEXIST);
  expect((await rename(2)).error).toBe(ERRNO.EINVAL);
  expect((await rename(0)).error).toBe(0);
});

test('a store that cannot rename sends programs to copying', async () => {
  const { kernel, ops, create } = await mounted();
  await create('a');
  ops.before = (operation) => {
    if (operation === 'rename') throw new SyncerError('unsupported', 'no');
  };
  expect((await kernel.ask('rename', 1, packed(1n, 'a', 'b'))).error).toBe(ERRNO.EXDEV);
});

test('an interrupted caller is let go', async () => {
  const { kernel, ops } = await mounted();
  ops.before = (_, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  const waiting = kernel.tell('lookup', 1, packed('slow'));
  kernel.tell('interrupt', 0, packed(BigInt(waiting)));
  expect((await kernel.answerTo(waiting)).error).toBe(ERRNO.EINTR);
});

test('a request over the limit of time is answered, and what it opened later is closed', async () => {
  const { kernel, ops, create } = await mounted({ requestLimitMs: 20 });
  const { inode, handle } = await create('a');
  await kernel.ask('release', inode, packed(handle, 0, 0, 0n));
  const slow = Promise.withResolvers<void>();
  ops.before = (operation) => (operation === 'open' ? slow.promise : undefined);
  expect((await kernel.ask('open', inode, packed(0, 0))).error).toBe(ERRNO.ETIMEDOUT);
  slow.resolve();
  await expect.poll(() => ops.opened()).toBe(0);
});

test('with one user only, others are refused, but may give back what they have', async () => {
  const { kernel } = await mounted({ onlyUser: 1000 }, 1001);
  expect((await kernel.ask('getAttributes', 1, packed(0, 0, 0n))).error).toBe(ERRNO.EACCES);
  const { kernel: own } = await mounted({ onlyUser: 1000 }, 1000);
  expect((await own.ask('getAttributes', 1, packed(0, 0, 0n))).error).toBe(0);
});

test('the bytes of a write stay as they are until it is done', async () => {
  const { kernel, ops, create } = await mounted();
  const { inode, handle } = await create('a');
  const held = Promise.withResolvers<void>();
  ops.before = (operation) => (operation === 'write' ? held.promise : undefined);
  const first = kernel.ask('write', inode, writeBody(handle, 0n, 'first'));
  const second = kernel.ask('write', inode, writeBody(handle, 5n, 'other'));
  await kernel.ask('statFs', 1);
  held.resolve();
  await Promise.all([first, second]);
  const { body } = await kernel.ask('read', inode, packed(handle, 0n, 100, 0, 0n, 0, 0));
  expect(body.toString()).toBe('firstother');
});

test('the end: waiting operations are aborted and the device is closed', async () => {
  const { kernel, ops, session } = await mounted();
  let reason: unknown;
  ops.before = (_, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        reason = signal.reason;
        reject(signal.reason);
      });
    });
  kernel.tell('lookup', 1, packed('slow'));
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  kernel.unmount();
  await session.ended;
  expect([kernel.isClosed(), reason]).toEqual([true, expect.any(SyncerError)]);
});

test('a file that is being closed when the mount goes is closed all the same', async () => {
  const { kernel, ops, session, create } = await mounted();
  const { inode, handle } = await create('a');
  const held = Promise.withResolvers<void>();
  let signal: AbortSignal | undefined;
  ops.before = (_, of) => {
    signal = of;
    return held.promise;
  };
  kernel.tell('release', inode, packed(handle, 0, 0, 0n));
  await expect.poll(() => signal).toBeDefined();
  kernel.unmount();
  await session.ended;
  let isSettled = false;
  const settled = session.settled().then(() => {
    isSettled = true;
  });
  await new Promise(setImmediate);
  expect([signal?.aborted, isSettled]).toEqual([false, false]);
  held.resolve();
  await settled;
  expect([ops.opened(), session.writers()]).toEqual([0, 0]);
});

test('it is not waited for for ever', async () => {
  const { kernel, ops, session, create } = await mounted();
  const { inode, handle } = await create('a');
  ops.before = (_, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  kernel.tell('release', inode, packed(handle, 0, 0, 0n));
  await kernel.ask(43, 1);
  kernel.unmount();
  await session.ended;
  session.stop();
  await session.settled();
  expect(kernel.isClosed()).toBe(true);
});

test('notifications go out one after the other, once there is a mount', async () => {
  const invalidations = new KernelInvalidations();
  invalidations.inode(3);
  const { kernel } = await mounted();
  invalidations.attach(kernel.device);
  invalidations.entry(1, 'gone');
  invalidations.inode(9);
  await expect.poll(() => kernel.notified.map(({ error }) => -error)).toEqual([3, 2]);
});

test('a device that cannot be waited for ends the mount', async () => {
  const { device } = fakeKernel();
  const wait = () => Promise.reject(new Error('no thread is left'));
  const session = new Session({ ...device, wait }, memoryMountOps(), usual, () => {});
  await expect(session.ended).rejects.toThrow('no thread is left');
  await expect(session.ready).rejects.toThrow('no thread is left');
});
