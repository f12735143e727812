import { expect, test } from 'vitest';
import { pathIn, pathOf } from '../../../../src/vfs/tree/node.ts';
import { Tree } from '../../../../src/vfs/tree/tree.ts';

function treeWith() {
  const tree = new Tree();
  const dir = tree.newDir(tree.root, 'd', undefined);
  tree.attach(tree.root, 'd', dir);
  const file = tree.newFile(dir, 'f', undefined);
  tree.attach(dir, 'f', file);
  return { tree, dir, file };
}

test('a renamed file keeps its number, and a new one of its old name gets another', () => {
  const { tree, dir, file } = treeWith();
  tree.move(file, tree.root, 'g');
  expect([pathOf(file), pathIn(dir, 'x')]).toEqual(['g', 'd/x']);
  const again = tree.newFile(dir, 'f', undefined);
  expect(again.inode).not.toBe(file.inode);
  expect(tree.node(file.inode)).toBe(file);
});

test('a file without a place lives as long as the kernel remembers it', () => {
  const { tree, file } = treeWith();
  for (let i = 0; i < 3; i++) file.lookedUp();
  tree.detach(file);
  expect(tree.node(file.inode)).toBe(file);
  expect(tree.forget(file.inode, 2)).toBeUndefined();
  expect(tree.forget(file.inode, 1)).toBe(file);
  expect(() => tree.node(file.inode)).toThrow('the file is gone');
});

test('a file without a place lives as long as it is being closed', async () => {
  const { tree, file } = treeWith();
  await file.whileClosing(async () => {
    tree.detach(file);
    expect(tree.node(file.inode)).toBe(file);
  });
  tree.letGo(file);
  expect(() => tree.node(file.inode)).toThrow();
});

test('with a directory all below it loses its place', () => {
  const { tree, dir, file } = treeWith();
  tree.detach(dir);
  expect(file.parent).toBeUndefined();
  expect(tree.has(dir)).toBe(false);
  expect(tree.size).toBe(1);
});

test('a node in the place of another takes it', () => {
  const { tree, dir, file } = treeWith();
  const other = tree.newFile(dir, 'f', undefined);
  tree.attach(dir, 'f', other);
  expect(file.parent).toBeUndefined();
  expect(dir.children.get('f')).toBe(other);
});

test('what is asked for as a directory or a file must be one', () => {
  const { tree, dir, file } = treeWith();
  expect(tree.dir(dir.inode)).toBe(dir);
  expect(() => tree.dir(file.inode)).toThrow('not a directory');
  expect(() => tree.file(dir.inode)).toThrow('is a directory');
});
