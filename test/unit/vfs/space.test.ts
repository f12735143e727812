import { expect, test } from 'vitest';
import type { About } from '../../../src/core/entry-details.ts';
import type { Remote } from '../../../src/core/remote.ts';
import { remoteBut } from '../../support/memory-world.ts';
import { op, vfsWorld } from '../../support/vfs-world.ts';

const telling = (about: () => Promise<About>) => ({
  wrap: (remote: Remote) => remoteBut(remote, { can: { ...remote.can, about } }),
});

test('the space is what the remote tells, asked for now and then, less what waits', async () => {
  let asked = 0;
  const w = await vfsWorld({
    waits: true,
    ...telling(async () => ({ total: 1000, used: 100 + ++asked, free: 900 - asked })),
  });
  expect(await w.vfs.space(op)).toMatchObject({ total: 1000, free: 899, nameLength: 255 });
  await w.write('f', 'x'.repeat(99));
  expect(await w.vfs.space(op)).toMatchObject({ free: 800 });
  await w.clock.advance(300_000);
  expect(await w.vfs.space(op)).toMatchObject({ free: 799 });
});

test('a store that tells nothing, or fails, has 1 PiB', async () => {
  for (const about of [async () => ({}), () => Promise.reject(new Error('no'))]) {
    const w = await vfsWorld(telling(about));
    expect(await w.vfs.space(op)).toMatchObject({ total: 2 ** 50, free: 2 ** 50 });
  }
  const w = await vfsWorld({ ...telling(async () => ({ used: 30, free: 70 })) });
  expect(await w.vfs.space(op)).toMatchObject({ total: 100, free: 70 });
});

test('what is used may be counted, and the total given', async () => {
  const files = { 'a/b': 'xxx', c: 'yy' };
  const options = { usedIsSize: true, diskSpaceTotal: 100 };
  const w = await vfsWorld({ files, options, ...telling(async () => ({ total: 7, used: 7 })) });
  expect(await w.vfs.space(op)).toMatchObject({ total: 100, free: 95 });
});
