import { expect, test } from 'vitest';
import { invalidatesLinks, withLinks } from '../../../src/vfs/link-ops.ts';
import { type Inode, type MountOps, ROOT_INODE } from '../../../src/vfs/mount-ops.ts';
import { op, vfsWorld } from '../../support/vfs-world.ts';

const FILES = {
  'a.rclonelink': 'to/a',
  both: 'the file',
  'both.rclonelink': 'the link',
  'dir/f': 'x',
  'odd.rclonelink/f': 'x',
  plain: 'text',
};

async function linked(files: Record<string, string> = FILES) {
  const w = await vfsWorld({ files, waits: false });
  const ops = withLinks(w.vfs, 0o640);
  const listed = async (inode: Inode = ROOT_INODE) => {
    const handle = await ops.openDir(inode, op);
    const entries: string[] = [];
    for (let from = 0; ; ) {
      const some = await ops.readDir(handle, from, op);
      const last = some.at(-1);
      if (last === undefined) break;
      from = last.next;
      entries.push(...some.map(({ name, attributes }) => `${name} ${attributes.kind}`));
    }
    ops.releaseDir(handle);
    return entries.sort();
  };
  const target = async (name: string) => {
    const { inode } = await ops.lookup(ROOT_INODE, name, op);
    return Buffer.from((await ops.readLink?.(inode, op)) ?? []).toString();
  };
  const rename = (from: string, to: string, how: 'replace' | 'no-replace' = 'replace') =>
    ops.rename({ parent: ROOT_INODE, name: from }, { parent: ROOT_INODE, name: to }, how, op);
  return { w, ops, listed, target, rename };
}

const link = (ops: MountOps, name: string, target: string) =>
  ops.makeLink?.(ROOT_INODE, name, Buffer.from(target), op);
const code = (promise: Promise<unknown> | undefined) =>
  promise?.then(
    () => 'done',
    (error) => error.code,
  );

test('files with the suffix are links; a file of the same name hides one, and directories are none', async () => {
  const { ops, listed, target } = await linked();
  expect(await listed()).toEqual([
    ...['a link', 'both file', 'dir dir', 'odd.rclonelink dir', 'plain file'],
  ]);
  expect(await ops.lookup(ROOT_INODE, 'a', op)).toMatchObject({
    kind: 'link',
    mode: 0o640,
    size: 4,
  });
  const { inode } = await ops.lookup(ROOT_INODE, 'a', op);
  expect(await ops.getAttributes(inode, undefined, op)).toMatchObject({ kind: 'link' });
  expect(await target('a')).toBe('to/a');
  expect(await code(ops.lookup(ROOT_INODE, 'a.rclonelink', op))).toBe('file-not-found');
  expect(await code(ops.lookup(ROOT_INODE, 'odd', op))).toBe('file-not-found');
  expect(await ops.lookup(ROOT_INODE, 'both', op)).toMatchObject({ kind: 'file' });
});

test('a link is created as a file, renamed and deleted', async () => {
  const { w, ops, listed, target, rename } = await linked({ plain: 'text' });
  expect(await link(ops, 'l', '../x')).toMatchObject({ kind: 'link', size: 4 });
  expect(await w.read('l.rclonelink')).toBe('../x');
  await rename('l', 'm');
  expect(await listed()).toEqual(['m link', 'plain file']);
  expect(await target('m')).toBe('../x');
  await ops.unlink(ROOT_INODE, 'm', op);
  expect(await listed()).toEqual(['plain file']);
  expect(await w.names('')).toEqual(['plain']);
});

test('a file replaces a link, and a link a file: nothing of the old one is left', async () => {
  const { w, ops, listed, rename } = await linked({ file: 'text', 'l.rclonelink': 'x' });
  await rename('file', 'l');
  expect(await w.names('')).toEqual(['l']);
  await link(ops, 'm', 'y');
  await rename('m', 'l');
  expect(await listed()).toEqual(['l link']);
  expect(await w.names('')).toEqual(['l.rclonelink']);
});

test('what does not go together is refused', async () => {
  const { ops, rename } = await linked();
  expect(await code(link(ops, 'a', 'x'))).toBe('already-exists');
  expect(await code(link(ops, 'dir', 'x'))).toBe('already-exists');
  expect(await code(link(ops, 'b.rclonelink', 'x'))).toBe('name-invalid');
  expect(await code(ops.makeDir(ROOT_INODE, 'a', op))).toBe('already-exists');
  const flags = { read: false, write: true, truncate: false, exclusive: false };
  expect(await code(ops.create(ROOT_INODE, 'a', flags, op))).toBe('already-exists');
  expect(await code(ops.create(ROOT_INODE, 'n.rclonelink', flags, op))).toBe('name-invalid');
  expect(await code(rename('dir', 'a'))).toBe('not-a-directory');
  expect(await code(rename('a', 'dir'))).toBe('not-a-file');
  expect(await code(rename('a', 'plain', 'no-replace'))).toBe('already-exists');
  expect(await code(rename('plain', 'b.rclonelink'))).toBe('name-invalid');
  expect(await code(rename('nope', 'b'))).toBe('file-not-found');
});

test('a target is read once, until the link changes', async () => {
  const { w, target } = await linked({ 'a.rclonelink': 'one' });
  expect([await target('a'), await target('a')]).toEqual(['one', 'one']);
  await w.clock.advance(1000);
  await w.write('a.rclonelink', 'two');
  expect(await target('a')).toBe('two');
});

test('the kernel forgets a link by its own name, too', () => {
  const told: string[] = [];
  const inner = { inode: () => {}, entry: (_: Inode, name: string) => void told.push(name) };
  const { entry } = invalidatesLinks(inner);
  entry(1, 'a.rclonelink');
  entry(1, 'b');
  expect(told).toEqual(['a.rclonelink', 'a', 'b']);
});
