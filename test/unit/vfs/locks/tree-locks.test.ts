import { expect, test } from 'vitest';
import { TreeLocks } from '../../../../src/vfs/locks/tree-locks.ts';
import { Tree } from '../../../../src/vfs/tree/tree.ts';

const op = { signal: new AbortController().signal };

/** `a/b` and `c`, and calls that end when they are told to. */
function world() {
  const tree = new Tree();
  const add = (parent = tree.root, name = '') => {
    const dir = tree.newDir(parent, name, undefined);
    tree.attach(parent, name, dir);
    return dir;
  };
  const a = add(tree.root, 'a');
  const dirs = { root: tree.root, a, b: add(a, 'b'), c: add(tree.root, 'c') };
  const log: string[] = [];
  const call = (name: string) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const run = async () => {
      log.push(`${name} begins`);
      await promise;
      log.push(`${name} ends`);
    };
    return { run, end: resolve };
  };
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return { ...dirs, locks: new TreeLocks(), log, call, turn };
}

test('changes of one directory come one after another, of two at once', async () => {
  const { locks, a, c, log, call, turn } = world();
  const [one, two, three] = [call('one'), call('two'), call('three')];
  const all = [
    locks.change([a], op, one.run),
    locks.change([a], op, two.run),
    locks.change([c], op, three.run),
  ];
  await turn();
  expect(log).toEqual(['one begins', 'three begins']);
  for (const each of [one, two, three]) each.end();
  await Promise.all(all);
  expect(log.indexOf('two begins')).toBeGreaterThan(log.indexOf('one ends'));
});

test('two changes of the same two directories in turn do not wait for each other for ever', async () => {
  const { locks, a, c, log, call } = world();
  const [one, two] = [call('one'), call('two')];
  const all = [locks.change([a, c], op, one.run), locks.change([c, a], op, two.run)];
  one.end();
  two.end();
  await Promise.all(all);
  expect(log).toEqual(['one begins', 'one ends', 'two begins', 'two ends']);
});

test('a directory is moved when nobody uses a path below it, and then nobody may', async () => {
  const { locks, a, b, c, log, call, turn } = world();
  const [use, move, late, beside] = [call('use'), call('move'), call('late'), call('beside')];
  const all = [
    locks.use([b], op, use.run),
    locks.alone(a, op, move.run),
    locks.use([b], op, late.run),
    locks.use([c], op, beside.run),
  ];
  await turn();
  expect(log).toEqual(['use begins', 'beside begins']);
  use.end();
  await turn();
  expect(log.slice(2)).toEqual(['use ends', 'move begins']);
  for (const each of [move, late, beside]) each.end();
  await Promise.all(all);
  expect(log.indexOf('late begins')).toBeGreaterThan(log.indexOf('move ends'));
});

test('a path that is held on to is used beyond the call', async () => {
  const { locks, a, b, log, call, turn } = world();
  const letGo = await locks.use([b], op, async () => locks.holdOn(b));
  const move = call('move');
  const moved = locks.alone(a, op, move.run);
  await turn();
  expect(log).toEqual([]);
  letGo();
  move.end();
  await moved;
  expect(log).toEqual(['move begins', 'move ends']);
});

test('who gives up waiting holds up nobody', async () => {
  const { locks, a, log, call } = world();
  const giveUp = new AbortController();
  const [one, two, three] = [call('one'), call('two'), call('three')];
  const first = locks.change([a], op, one.run);
  const second = locks.change([a], { signal: giveUp.signal }, two.run);
  const third = locks.change([a], op, three.run);
  giveUp.abort(new Error('enough'));
  await expect(second).rejects.toThrow('enough');
  one.end();
  three.end();
  await Promise.all([first, third]);
  expect(log).toEqual(['one begins', 'one ends', 'three begins', 'three ends']);
});

test('directories are moved one after another', async () => {
  const { locks, log, call, turn } = world();
  const [one, two] = [call('one'), call('two')];
  const all = [locks.moveOne(op, one.run), locks.moveOne(op, two.run)];
  await turn();
  expect(log).toEqual(['one begins']);
  one.end();
  two.end();
  await Promise.all(all);
  expect(log.at(-1)).toBe('two ends');
});
