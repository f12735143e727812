import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { localRemote } from '../../../../src/backends/local/local-remote.ts';
import { localSettings } from '../../../../src/backends/local/local-settings.ts';
import { abortable, type Context, systemClock } from '../../../../src/core/context.ts';
import { SyncerError } from '../../../../src/core/errors.ts';
import type { Entry, FileEntry, Op, Remote } from '../../../../src/core/remote.ts';
import { deleteOne } from '../../../../src/core/remote-calls.ts';
import { ALL } from '../../../../src/engine/consent.ts';
import { startRun } from '../../../../src/engine/run.ts';
import { passAllFilter } from '../../../../src/filter/filter.ts';
import { copyOrMoveTree } from '../../../../src/serve/dav/change-tree.ts';
import type { FileCall } from '../../../../src/serve/files/call.ts';
import { ServedTree, type TreeOptions } from '../../../../src/serve/files/served-tree.ts';
import { ownMark } from '../../../../src/system/owner-state.ts';
import { layered } from '../../../support/layered.ts';
import { contentsOf, remoteWith } from '../../../support/memory-world.ts';

const op = { signal: new AbortController().signal };
const context: Context = { ...op, clock: systemClock, emit: () => {} };

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'syncer-copy-or-move-tree-'));
  await mkdir(join(root, 'dir/old'), { recursive: true });
  await mkdir(join(root, 'from'));
  await writeFile(join(root, 'dir/kept'), 'kept');
  await writeFile(join(root, 'from/new'), 'new');
  await writeFile(join(root, 'file'), 'content');
});
afterEach(() => rm(root, { recursive: true, force: true }));

const disk = () => localRemote(localSettings({ name: '', root, options: {} }), context);

/** Moves or copies on a disk whose files cannot be copied or moved. */
async function transfer(verb: 'copy' | 'move', from: string, to: string): Promise<void> {
  const local = disk();
  const full = async () => {
    throw new SyncerError('no-space', 'no space left');
  };
  const { moveFrom, ...can } = local.can;
  // What is put aside and back is moved by its own name.
  const moving: Remote['can']['moveFrom'] = async (remote, file, path, op) =>
    /\.syncer-/.test(file.path + path) ? moveFrom?.(remote, file, path, op) : full();
  const remote = layered(local, { write: full, can: { ...can, copyFrom: full, moveFrom: moving } });
  await transferOn(treeOf(remote), verb, from, to);
}

function treeOf(remote: Remote, options: Partial<TreeOptions> = {}): ServedTree {
  return new ServedTree(remote, {
    ...{ isShown: undefined, noModTime: false, useServerModTime: false, etagHash: undefined },
    ...{ ignoresCase: false, links: false, atOnce: 4, readOnly: false },
    ...options,
  });
}

async function transferOn(
  tree: ServedTree,
  verb: 'copy' | 'move',
  from: string,
  to: string,
  op: Op = { signal: new AbortController().signal },
) {
  const run = startRun({ context, filter: passAllFilter, consent: ALL });
  const call = { tree, op, run, options: { lowLevelRetries: 1 } } as unknown as FileCall;
  const entry = (await tree.find(from, op)) as Entry;
  return copyOrMoveTree(call, entry, to, await tree.find(to, op), {
    ...{ verb, isDeep: true, mayOverwrite: true },
  });
}

test.each([
  ['copy', 'file', 'dir'],
  ['move', 'file', 'dir'],
  ['copy', 'from', 'dir'],
  ['move', 'from/new', 'dir'],
  ['copy', 'from/new', 'file'],
] as const)('%s of %s to %s that fails leaves everything in its place', async (verb, from, to) => {
  await expect(transfer(verb, from, to)).rejects.toThrow('no space left');
  expect((await readdir(root)).sort()).toEqual(['dir', 'file', 'from']);
  expect((await readdir(join(root, 'dir'))).sort()).toEqual(['kept', 'old']);
  expect(await readFile(join(root, 'file'), 'utf8')).toBe('content');
  expect(await readFile(join(root, 'from/new'), 'utf8')).toBe('new');
});

test('copy of a directory to a file that fails: the file is back', async () => {
  await expect(transfer('copy', 'from', 'file')).rejects.toThrow('no space left');
  expect(await readFile(join(root, 'file'), 'utf8')).toBe('content');
  expect((await readdir(root)).sort()).toEqual(['dir', 'file', 'from']);
});

const BEFORE = { 'dd/ee/x': 'X', 'dd/y': 'Y', 'dd/z/w': 'W', 'new/mine': 'M', 'new/y': 'old' };
const AFTER = { 'new/ee/x': 'X', 'new/y': 'Y', 'new/z/w': 'W' };

/** A store without renames, in which `fault` may end each deletion, before or after it. */
async function storeOf(fault: (path: string, isDone: boolean) => void) {
  const whole = await remoteWith(BEFORE, {
    emptyDirs: false,
    without: ['moveFrom', 'moveDirFrom', 'purge'],
  });
  const remote = layered(whole, {
    async delete(files, op, how) {
      for (const { path } of files) fault(path, false);
      const failures = await whole.delete(files, op, how);
      for (const { path } of files) fault(path, true);
      return failures;
    },
  });
  const files = async () =>
    Object.fromEntries(
      Object.entries(await contentsOf(whole)).map(([path, file]) => [path, file.split('@')[0]]),
    );
  return { remote, files };
}

test.each([
  ['dd/ee/x', false],
  ['dd/y', false],
  ['dd/y', true],
  ['dd/z/w', false],
  ['dd/z/w', true],
] as const)(
  'a move in which the deletion of %s fails (done: %s) is undone, and loses nothing when it is repeated',
  async (refused, when) => {
    let fails = true;
    const { remote, files } = await storeOf((path, isDone) => {
      if (fails && path === refused && isDone === when)
        throw new SyncerError('access-denied', 'refused');
    });
    await expect(transferOn(treeOf(remote), 'move', 'dd', 'new')).rejects.toThrow('refused');
    expect(await files()).toMatchObject({ 'dd/ee/x': 'X', 'dd/y': 'Y', 'dd/z/w': 'W' });
    expect(await files()).toMatchObject({ 'new/mine': 'M' });
    fails = false;
    await transferOn(treeOf(remote), 'move', 'dd', 'new');
    expect(await files()).toEqual(AFTER);
  },
);

test('a move is complete when its source is gone: what cannot be deleted then stays', async () => {
  const { remote, files } = await storeOf((path) => {
    if (path === 'new/mine') throw new SyncerError('access-denied', 'refused');
  });
  await remote.write(written('new/old', 'O'), op);
  const left = await transferOn(treeOf(remote), 'move', 'dd', 'new');
  expect(left?.code).toBe('access-denied');
  expect(await files()).toEqual({ ...AFTER, 'new/mine': 'M' });
});

const written = (path: string, text: string) => ({
  ...{ path, size: text.length, seekable: true },
  open: async () => Buffer.from(text),
});

test('a move whose source cannot be deleted is undone before anything else is deleted', async () => {
  await mkdir(join(root, 'from/inner'));
  await mkdir(join(root, 'to/old'), { recursive: true });
  await writeFile(join(root, 'to/old/k'), 'k');
  await writeFile(join(root, 'to/2'), '2');
  // Another upload is in progress.
  await writeFile(join(root, `from/.z.syncer-partial-${ownMark()}-0`), '');
  await expect(transferOn(diskTree(), 'move', 'from', 'to')).rejects.toThrow('not empty');
  expect((await readdir(join(root, 'to'), { recursive: true })).sort()).toEqual([
    ...['2', 'old', 'old/k'],
  ]);
  expect(await readdir(join(root, 'from'))).toEqual(expect.arrayContaining(['inner', 'new']));
});

test('a client that leaves while extra files are deleted has a complete move', async () => {
  const leaves = new AbortController();
  const { remote, files } = await storeOf((path, isDone) => {
    if (path === 'new/mine' && !isDone) leaves.abort(new Error('the client left'));
  });
  await remote.write(written('new/other', 'O'), op);
  const leaving = layered(remote, {
    async delete(files, inner) {
      const failures = await remote.delete(files, op);
      inner.signal.throwIfAborted();
      return failures;
    },
  });
  await transferOn(treeOf(leaving), 'move', 'dd', 'new', { signal: leaves.signal });
  expect(await files()).toEqual(AFTER);
});

/** The disk; filters hide files that end in `.hid`. */
function diskTree(): ServedTree {
  return treeOf(disk(), {
    isShown: ({ path }) => !path.endsWith('.hid'),
  });
}

test.each(['a'.repeat(255), 'ä'.repeat(127)])(
  'an entry of the other kind may have a long name',
  async (name) => {
    await rename(join(root, 'dir'), join(root, name));
    await transferOn(treeOf(disk()), 'move', 'file', name);
    expect((await readdir(root)).sort()).toEqual([name, 'from'].sort());
    await transferOn(treeOf(disk()), 'copy', 'from', name);
    expect(await readdir(join(root, name))).toEqual(['new']);
  },
);

test.each(['copy', 'move'] as const)(
  '%s of a file over a directory in which filters hide something changes nothing',
  async (verb) => {
    await writeFile(join(root, 'dir/old/z.hid'), 'hidden');
    const before = (await readdir(root, { recursive: true })).sort();
    await expect(transferOn(diskTree(), verb, 'file', 'dir')).rejects.toThrow('filters hide');
    expect((await readdir(root, { recursive: true })).sort()).toEqual(before);
  },
);

test('what filters hide in an extra directory stays, and the move is complete', async () => {
  await writeFile(join(root, 'dir/old/z.hid'), 'hidden');
  const left = await transferOn(diskTree(), 'move', 'from', 'dir');
  expect(left?.code).toBe('not-empty');
  expect((await readdir(root, { recursive: true })).sort()).toEqual([
    ...['dir', 'dir/new', 'dir/old', 'dir/old/z.hid', 'file'],
  ]);
});

test('a move on a disk, file by file, is undone: also its new directories', async () => {
  await mkdir(join(root, 'from/deep'));
  await writeFile(join(root, 'from/deep/z'), 'z');
  const local = disk();
  const { moveFrom, moveDirFrom: _whole, copyFrom: _copy, ...can } = local.can;
  const moving: Remote['can']['moveFrom'] = async (remote, file, path, op) => {
    if (path === 'to/new') throw new SyncerError('no-space', 'no space left');
    return moveFrom?.(remote, file, path, op);
  };
  const remote = layered(local, { can: { ...can, moveFrom: moving } });
  await expect(transferOn(treeOf(remote), 'move', 'from', 'to')).rejects.toThrow('no space left');
  expect((await readdir(root)).sort()).toEqual(['dir', 'file', 'from']);
  expect(await readFile(join(root, 'from/deep/z'), 'utf8')).toBe('z');
  expect(await readFile(join(root, 'from/new'), 'utf8')).toBe('new');
});

test.each(['copy', 'move'] as const)(
  '%s of an empty directory over a file of a store that cannot keep it',
  async (verb) => {
    const without = ['moveFrom', 'moveDirFrom', 'purge'] as const;
    const memory = await remoteWith({ 'dd/y': 'Y' }, { emptyDirs: false, without });
    const traits = { ...memory.traits, bucketBased: true, onDisk: false };
    const tree = treeOf({ ...memory, traits });
    await tree.makeDir('empty', op);
    await transferOn(tree, verb, 'empty', 'dd/y');
    expect(await contentsOf(memory)).toEqual({});
    expect((await tree.find('dd/y', op))?.kind).toBe('dir');
    expect((await tree.find('empty', op))?.kind).toBe(verb === 'copy' ? 'dir' : undefined);
  },
);

/** A store in which the deletion of `dd/y` takes effect late; `lose` ends the call before. */
async function lateStore(lose: (deleting: Promise<void>, op: Op) => Promise<void>) {
  const { remote, files } = await storeOf(() => {});
  const deleting: Promise<void>[] = [];
  const late = async (file: FileEntry) => {
    await new Promise((resolve) => setTimeout(resolve, 30));
    await deleteOne(remote, file, op);
  };
  const slow = layered(remote, {
    async delete(files, inner) {
      const [file] = files;
      if (file?.path !== 'dd/y' || deleting.length > 0) return remote.delete(files, inner);
      deleting.push(late(file));
      await lose(deleting[0] ?? Promise.resolve(), inner);
      return new Map();
    },
  });
  return { tree: treeOf(slow), files, settled: () => Promise.all(deleting) };
}

test('a client that leaves during a deletion loses nothing, nor if it repeats the move', async () => {
  const left = new AbortController();
  const { tree, files, settled } = await lateStore(async (deleting, inner) => {
    left.abort(new Error('the client left'));
    await abortable(deleting, inner.signal);
  });
  const moving = transferOn(tree, 'move', 'dd', 'new', { signal: left.signal });
  await expect(moving).rejects.toThrow('the client left');
  await settled();
  expect(await files()).toMatchObject({ 'dd/ee/x': 'X', 'dd/y': 'Y', 'dd/z/w': 'W' });
  await transferOn(tree, 'move', 'dd', 'new');
  expect(await files()).toEqual(AFTER);
});

test('a deletion without a response that takes effect late loses nothing, nor if the move is repeated', async () => {
  const { tree, files, settled } = await lateStore(async () => {
    throw new SyncerError('network', 'no response');
  });
  await expect(transferOn(tree, 'move', 'dd', 'new')).rejects.toThrow('no response');
  await settled();
  expect(await files()).toMatchObject({ 'dd/ee/x': 'X', 'new/y': 'Y', 'dd/z/w': 'W' });
  await transferOn(tree, 'move', 'dd', 'new');
  expect(await files()).toEqual(AFTER);
  // Until it is deleted or moved, whatever else is moved there.
  expect([...tree.spared]).toEqual(['new/y']);
  await transferOn(tree, 'move', 'new', 'dd');
  expect([...tree.spared]).toEqual([]);
  await transferOn(tree, 'copy', 'dd/z', 'other');
  await transferOn(tree, 'move', 'other', 'dd');
  expect(await files()).toEqual({ 'dd/w': 'W' });
});
