import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { collectBody } from '../../../../src/core/body.ts';
import type { FileEntry, Remote } from '../../../../src/core/remote.ts';
import { deleteOne } from '../../../../src/core/remote-calls.ts';
import { startTestGraph, type TestGraph } from '../../../servers/graph/start-graph.ts';
import type { TestDrive } from '../../../servers/graph/test-drive.ts';
import { openDrive } from '../../../support/open-drive.ts';
import { OP, sourceOf } from '../../../support/open-s3.ts';

let graph: TestGraph;
let remote: Remote;
let other: TestDrive;

beforeEach(async () => {
  graph = await startTestGraph({ drives: [{ type: 'business' }, { type: 'business' }] });
  [, other] = graph.drives as [TestDrive, TestDrive];
  other.put('shared/deep/file', 'theirs');
  other.put('single', 'one file');
  graph.drive.addShortcut('short', other, 'shared');
  graph.drive.addShortcut('lone', other, 'single');
  ({ remote } = await openDrive(graph));
});
afterEach(async () => {
  await remote.close();
  await graph.stop();
});

async function fileAt(path: string): Promise<FileEntry> {
  const entry = await remote.stat(path, OP);
  if (entry?.kind !== 'file') throw new Error(`no file at ${path}`);
  return entry;
}

const paths = async (dir: string) =>
  (await remote.listPage(dir, undefined, OP)).entries.map(({ kind, path }) => `${kind} ${path}`);

describe('a shortcut to another drive', () => {
  it('is what it leads to', async () => {
    expect((await paths('')).sort()).toEqual(['dir short', 'file lone']);
    expect(await paths('short')).toEqual(['dir short/deep']);
    const body = await remote.read(await fileAt('lone'), undefined, OP);
    expect((await collectBody(body, OP.signal)).toString()).toBe('one file');
  });

  it('is followed on a path that nobody has listed', async () => {
    expect(await paths('short/deep')).toEqual(['file short/deep/file']);
    expect(await remote.stat('short/deep/file', OP)).toMatchObject({ size: 6 });
    expect(await remote.stat('short/deep/missing', OP)).toBeUndefined();
    expect(await remote.stat('short/missing/file', OP)).toBeUndefined();
  });

  it('takes files', async () => {
    await remote.write(sourceOf('short/new dir/file', 'ours'), OP);
    expect(other.read('shared/new dir/file')?.toString()).toBe('ours');
  });

  it('is removed without what it leads to', async () => {
    await deleteOne(remote, await fileAt('lone'), OP);
    await remote.can.purge?.('short', OP);
    expect(await paths('')).toEqual([]);
    expect(other.files()).toEqual(['shared/deep/file', 'single']);
  });

  it('is renamed itself', async () => {
    const moved = await remote.can.moveFrom?.(remote, await fileAt('lone'), 'alone', OP);
    expect(moved).toMatchObject({ path: 'alone' });
    expect(await remote.can.moveDirFrom?.(remote, 'short', 'long', OP)).toBe(true);
    expect((await paths('')).sort()).toEqual(['dir long', 'file alone']);
    expect(other.files()).toEqual(['shared/deep/file', 'single']);
  });

  // Each drive counts its own ids: that of the target is one of another item here.
  it.each([1, 2])('is renamed and removed itself after it was followed %d times', async (times) => {
    graph.drive.addShortcut('deep', other, 'shared/deep');
    for (let n = 0; n < times; n++) await remote.stat('deep', OP);
    expect(await remote.can.moveDirFrom?.(remote, 'deep', 'long', OP)).toBe(true);
    expect((await paths('')).sort()).toEqual(['dir long', 'dir short', 'file lone']);
    other.remove('shared/deep/file');
    await remote.deleteDir('long', OP);
    expect((await paths('')).sort()).toEqual(['dir short', 'file lone']);
    expect(other.find('shared/deep')).toBeDefined();
  });

  it('keeps what is behind it from being moved to another drive', async () => {
    const file = await fileAt('short/deep/file');
    expect(await remote.can.moveFrom?.(remote, file, 'here', OP)).toBeUndefined();
    expect(await remote.can.copyFrom?.(remote, file, 'here', OP)).toBeUndefined();
    expect(await remote.can.moveDirFrom?.(remote, 'short/deep', 'here', OP)).toBe(false);
  });
});
