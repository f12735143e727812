import { expect, test } from 'vitest';
import type { Remote } from '../../../../src/core/remote.ts';
import { type OpenFlags, ROOT_INODE } from '../../../../src/vfs/mount-ops.ts';
import { openVfs } from '../../../../src/vfs/open-vfs.ts';
import { remoteBut } from '../../../support/memory-world.ts';
import { VFS_DEFAULTS } from '../../../support/vfs-defaults.ts';
import { ContentsWorld, closeFile, op, UPDATE } from '../contents/contents-world.ts';

const P = { parent: ROOT_INODE, name: 'p' };
const Q = { parent: ROOT_INODE, name: 'q' };
const FLAGS: OpenFlags = { read: true, write: false, truncate: false, exclusive: false };

/** A mount above `p`, of which a newer version waits to be uploaded, and `q`. */
async function world() {
  const world = new ContentsWorld();
  const p = await world.put('p', 'p 1 ');
  await world.put('q', 'important');
  /** Called before and after each call that changes the remote. */
  const step = { each: async () => {} };
  const changing = async <T>(call: () => Promise<T>): Promise<T> => {
    await step.each();
    const result = await call();
    await step.each();
    return result;
  };
  const { can } = world.remote;
  const [remove, write] = [world.remote.delete, world.remote.write];
  world.remote = remoteBut(world.remote, {
    delete: (files, at, how) => changing(() => remove(files, at, how)),
    write: (source, at) => changing(() => write(source, at)),
    can: {
      ...can,
      moveFrom: (from, file, path, at) =>
        changing(async () => can.moveFrom?.(from as Remote, file, path, at)),
    },
  });
  const contents = await world.open();
  const options = { ...VFS_DEFAULTS, cacheDir: world.cacheDir, cacheMode: 'full' as const };
  const context = { signal: op.signal, clock: world.clock, emit: () => {} };
  const vfs = openVfs(world.remote, contents, options, context);
  const file = await contents.open('p', p, UPDATE, op);
  await file.write(4, Buffer.from('p 2'), op);
  await closeFile(file);
  return { world, vfs, step };
}

/** What is on the remote when the next mount has done what it had to. */
async function afterCrash(world: ContentsWorld): Promise<readonly [p: string, q: string]> {
  const { cacheDir } = world;
  world.crash();
  const [remote, plain] = [world.remote, world.plain];
  const copy = new ContentsWorld();
  for (const path of ['p', 'q']) {
    const content = await world.get(path);
    if (content !== undefined) await copy.put(path, content);
  }
  copy.cacheDir = world.cacheDir;
  const next = await copy.open();
  await next.drain(op);
  Object.assign(world, { remote, plain, cacheDir });
  return [String(await copy.get('p')), String(await copy.get('q'))];
}

test('killed in a rename over another file: both are as before, or the new one is there whole', async () => {
  const { world: disk, vfs, step } = await world();
  const seen: (readonly [string, string])[] = [];
  step.each = async () => void seen.push(await afterCrash(disk));
  await vfs.rename(P, Q, 'replace', op);
  expect(seen).not.toEqual([]);
  for (const found of seen) expect(found).toEqual(['p 1 p 2', 'important']);
  expect(await afterCrash(disk)).toEqual(['undefined', 'p 1 p 2']);
});

test('a rename that the remote refuses leaves both as they were', async () => {
  const { world: disk, vfs, step } = await world();
  step.each = async () => {
    throw new Error('the line is cut');
  };
  await expect(vfs.rename(P, Q, 'replace', op)).rejects.toThrow('the line is cut');
  step.each = async () => {};
  const { inode } = await vfs.lookup(ROOT_INODE, 'p', op);
  const { handle } = await vfs.open(inode, FLAGS, op);
  expect(String(await vfs.read(handle, 0, 100, op))).toBe('p 1 p 2');
  await vfs.release(handle, op);
  expect(await afterCrash(disk)).toEqual(['p 1 p 2', 'important']);
});

test('both wait: the one that is replaced counts until the other has its name', async () => {
  const disk = new ContentsWorld();
  const contents = await disk.open();
  const write = async (path: string, text: string) => {
    const file = await contents.open(path, undefined, UPDATE, op);
    await file.write(0, Buffer.from(text), op);
    await closeFile(file);
  };
  await write('p', 'new');
  await write('q', 'old');
  const { cacheDir } = disk;
  const copies: string[] = [];
  const takeCopy = () => {
    disk.crash();
    copies.push(disk.cacheDir);
    disk.cacheDir = cacheDir;
  };
  let isDone = false;
  const renamed = contents.renamed('p', 'q', { entry: undefined }).finally(() => {
    isDone = true;
  });
  while (!isDone) {
    takeCopy();
    await new Promise(setImmediate);
  }
  await renamed;
  takeCopy();
  const seen: string[] = [];
  for (const copy of copies) {
    disk.cacheDir = copy;
    seen.push((await afterCrash(disk)).join());
  }
  expect([...new Set(seen)]).toEqual(['new,old', 'undefined,new']);
});
