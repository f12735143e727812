import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { bodyChunks } from '../../../../src/core/body.ts';
import { deleteUnchanged } from '../../../../src/system/only-over.ts';
import { fileAt, OP, openLocal, partials } from './local-world.ts';

const MESSAGE = "can't copy - source file is being updated";

async function listedThenChanged(size: number, options: Record<string, string> = {}) {
  const { remote, dir } = openLocal(options);
  const path = join(dir, 'file');
  fs.writeFileSync(path, Buffer.alloc(size, 1));
  const file = await fileAt(remote, 'file');
  return { remote, dir, path, file };
}

async function drain(body: Awaited<ReturnType<typeof open>>, onChunk = () => {}): Promise<number> {
  let size = 0;
  for await (const chunk of bodyChunks(body, OP.signal)) {
    size += chunk.length;
    onChunk();
  }
  return size;
}

async function open({ remote, file }: Awaited<ReturnType<typeof listedThenChanged>>) {
  return remote.read(file, undefined, OP);
}

describe('a file that changed since it was listed', () => {
  it('is an error when its size is another', async () => {
    const world = await listedThenChanged(10);
    fs.appendFileSync(world.path, 'more');
    await expect(open(world)).rejects.toMatchObject({
      code: 'source-changed',
      message: `${MESSAGE} (size changed from 10 to 14)`,
    });
  });

  it('is an error when its time is another', async () => {
    const world = await listedThenChanged(10);
    fs.utimesSync(world.path, 1, 1);
    await expect(open(world)).rejects.toMatchObject({
      code: 'source-changed',
      message: expect.stringMatching(/mod time changed from .* to 1970-01-01T00:00:01.000000000Z/),
    });
  });

  it.each([10, 100_000])('is read as far as it was listed with no_check_updated', async (size) => {
    const world = await listedThenChanged(size, { no_check_updated: 'true' });
    fs.appendFileSync(world.path, 'more');
    expect(await drain(await open(world), () => fs.appendFileSync(world.path, 'x'))).toBe(size);
  });

  it.each([10, 2_000_000])('is copied so as well', async (size) => {
    const world = await listedThenChanged(size, { no_check_updated: 'true' });
    fs.appendFileSync(world.path, 'more');
    const copy = await world.remote.can.copyFrom?.(world.remote, world.file, 'copy', OP);
    expect(copy).toMatchObject({ size });
    expect(fs.statSync(join(world.dir, 'copy')).size).toBe(size);
  });

  it('is not copied where it has become shorter, and what was there stays', async () => {
    const world = await listedThenChanged(10, { no_check_updated: 'true' });
    fs.truncateSync(world.path, 5);
    fs.writeFileSync(join(world.dir, 'copy'), 'old');
    const copying = world.remote.can.copyFrom?.(world.remote, world.file, 'copy', OP);
    await expect(copying).rejects.toMatchObject({ code: 'corrupted' });
    expect(fs.readFileSync(join(world.dir, 'copy'), 'utf8')).toBe('old');
    expect(partials(world.dir)).toEqual([]);
  });

  it('stays where it changes while it is deleted', async () => {
    const { remote, path, file } = await listedThenChanged(10);
    const deleting = deleteUnchanged(remote, file, OP);
    // Other work of the same moment.
    fs.writeFileSync(path, 'newer');
    // Where its turn comes later, the deletion sees the change.
    await deleting.catch((thrown) => expect(thrown).toMatchObject({ code: 'source-changed' }));
    expect(fs.readFileSync(path, 'utf8')).toBe('newer');
  });

  it('stays where it changes while its directory is looked at', async () => {
    const { remote, dir } = openLocal();
    const path = join(dir, 'sub', 'file');
    fs.mkdirSync(join(dir, 'sub'));
    fs.writeFileSync(path, 'older');
    const file = await fileAt(remote, 'sub/file');
    const { lstatSync } = fs;
    const look = vi.spyOn(fs, 'lstatSync').mockImplementation(((at: string, options: object) => {
      if (at === join(dir, 'sub')) fs.writeFileSync(path, 'much newer');
      return lstatSync(at, options);
    }) as typeof fs.lstatSync);
    onTestFinished(() => look.mockRestore());
    const deleting = deleteUnchanged(remote, file, OP);
    await expect(deleting).rejects.toMatchObject({ code: 'source-changed' });
    expect(fs.readFileSync(path, 'utf8')).toBe('much newer');
  });

  it('is not copied by the kernel either', async () => {
    const world = await listedThenChanged(10);
    fs.appendFileSync(world.path, 'more');
    const copying = world.remote.can.copyFrom?.(world.remote, world.file, 'copy', OP);
    await expect(copying).rejects.toMatchObject({ code: 'source-changed' });
    expect(fs.readdirSync(world.dir)).toEqual(['file']);
    expect(partials(world.dir)).toEqual([]);
  });
});

describe('a file that changes while it is read', () => {
  it('is an error where the system says that it ends before its size', async () => {
    const world = await listedThenChanged(1000);
    const { readSync } = fs;
    const ends = vi
      .spyOn(fs, 'readSync')
      .mockImplementation(((
        fd: number,
        into: Buffer,
        at: number,
        length: number,
        position: number,
      ) =>
        position > 0
          ? 0
          : readSync(fd, into, at, Math.min(length, 400), position)) as typeof fs.readSync);
    await expect(open(world)).rejects.toMatchObject({ code: 'source-changed' });
    ends.mockRestore();
  });

  it('breaks the stream when it grows', async () => {
    const world = await listedThenChanged(3_000_000);
    const grow = () => fs.appendFileSync(world.path, 'more');
    await expect(drain(await open(world), grow)).rejects.toMatchObject({ code: 'source-changed' });
  });

  it('breaks the stream when it shrinks', async () => {
    const world = await listedThenChanged(3_000_000);
    const shrink = () => fs.truncateSync(world.path, 100);
    await expect(drain(await open(world), shrink)).rejects.toMatchObject({
      code: 'source-changed',
    });
  });

  it('does not when only what was not asked for is missing', async () => {
    const world = await listedThenChanged(3_000_000);
    const range = { offset: 1_000_000, length: 500_000 };
    expect(await drain(await world.remote.read(world.file, range, OP))).toBe(500_000);
  });
});

describe('what is no file any more', () => {
  it('is not waited for', async () => {
    const world = await listedThenChanged(10);
    fs.unlinkSync(world.path);
    fs.mkdirSync(world.path);
    await expect(open(world)).rejects.toMatchObject({ code: 'not-a-file' });
  });
});

describe('a file that changed since it was copied', () => {
  const moved = async (options: Record<string, string> = {}) => {
    const world = await listedThenChanged(10, options);
    fs.writeFileSync(world.path, 'an important edit');
    const removed = deleteUnchanged(world.remote, world.file, OP);
    return { ...world, removed };
  };

  it('is not removed by a move', async () => {
    const { path, removed } = await moved();
    await expect(removed).rejects.toMatchObject({
      code: 'source-changed',
      message: "can't delete - source file is being updated (size changed from 10 to 17)",
    });
    expect(fs.readFileSync(path, 'utf8')).toBe('an important edit');
  });

  it('is removed all the same with no_check_updated', async () => {
    const { path, removed } = await moved({ no_check_updated: 'true' });
    await removed;
    expect(fs.existsSync(path)).toBe(false);
  });

  it('is removed where it is as it was', async () => {
    const { remote, path, file } = await listedThenChanged(10);
    await deleteUnchanged(remote, file, OP);
    expect(fs.existsSync(path)).toBe(false);
    await expect(deleteUnchanged(remote, file, OP)).rejects.toMatchObject({
      code: 'file-not-found',
    });
  });
});

describe('the stamp of a file', () => {
  it('is of what was read, though another file has its place since', async () => {
    const { remote, path, dir, file } = await listedThenChanged(10);
    const before = remote.can.stamp?.(file);
    const hash = await remote.can.hash?.(file, 'md5', OP);
    expect(hash).toMatch(/^[0-9a-f]{32}$/);
    const { mtime } = fs.statSync(path);
    const other = join(dir, 'other');
    fs.writeFileSync(other, Buffer.alloc(10, 2));
    fs.utimesSync(other, mtime, mtime);
    fs.renameSync(other, path);
    expect(remote.can.stamp?.(file, 'read')).toEqual(before);
    expect(remote.can.stamp?.(file)?.tag).not.toBe(before?.tag);
  });
});
