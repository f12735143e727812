import { abortable } from '../../core/context.ts';
import type { Op } from '../../core/remote.ts';
import type { DirNode } from '../tree/node.ts';

/**
 * Serialises changes of one directory, as the kernel does. Calls to the remote hold the directories above their path,
 * so that none is renamed. Directories are moved one after another, exclusively with all below them. Responses from
 * memory need no lock.
 */
export class TreeLocks {
  #moves: Promise<void> = Promise.resolve();
  /** Calls that wait until a directory's path is not in use. */
  readonly #movers = new WeakMap<DirNode, () => void>();

  /** Runs `call` while the paths of `dirs` cannot change. */
  async use<T>(dirs: readonly DirNode[], op: Op, call: () => Promise<T>): Promise<T> {
    // All or none: a waiting caller holds none.
    for (let moving = movingAbove(dirs); moving !== undefined; moving = movingAbove(dirs)) {
      await abortable(moving, op.signal);
    }
    const letGo = dirs.map((dir) => this.holdOn(dir));
    try {
      return await call();
    } finally {
      for (const each of letGo) each();
    }
  }

  /** Within `use`: keeps the path until the returned function is called, also after `use` has ended. */
  holdOn(dir: DirNode): () => void {
    const held: DirNode[] = [];
    for (let at: DirNode | undefined = dir; at !== undefined; at = at.parent) held.push(at);
    for (const each of held) each.users++;
    return () => {
      for (const each of held) {
        each.users--;
        if (each.users === 0) this.#movers.get(each)?.();
      }
    };
  }

  /** Runs `call`, which changes the entries of these directories, after earlier changes. */
  async change<T>(dirs: readonly DirNode[], op: Op, call: () => Promise<T>): Promise<T> {
    const ordered = [...new Set(dirs)].sort((a, b) => a.inode - b.inode);
    return inTurn(ordered, op, () => this.use(ordered, op, call));
  }

  /** Runs `call` when no other directory is being moved. */
  async moveOne<T>(op: Op, call: () => Promise<T>): Promise<T> {
    const before = this.#moves;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#moves = before.then(() => promise);
    try {
      await abortable(before, op.signal);
      return await call();
    } finally {
      resolve();
    }
  }

  /** Runs `call` while the path of `dir`, and those below it, have no other users. */
  async alone<T>(dir: DirNode, op: Op, call: () => Promise<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<void>();
    dir.moving = promise;
    try {
      const idle = new Promise<void>((isIdle) => this.#movers.set(dir, isIdle));
      if (dir.users > 0) await abortable(idle, op.signal);
      return await call();
    } finally {
      this.#movers.delete(dir);
      dir.moving = undefined;
      resolve();
    }
  }
}

async function inTurn<T>(
  [first, ...rest]: readonly DirNode[],
  op: Op,
  call: () => Promise<T>,
): Promise<T> {
  if (first === undefined) return call();
  const before = first.changing;
  const { promise, resolve } = Promise.withResolvers<void>();
  const mine = before === undefined ? promise : before.then(() => promise);
  first.changing = mine;
  try {
    if (before !== undefined) await abortable(before, op.signal);
    return await inTurn(rest, op, call);
  } finally {
    resolve();
    if (first.changing === mine) first.changing = undefined;
  }
}

function movingAbove(dirs: readonly DirNode[]): Promise<void> | undefined {
  for (const dir of dirs) {
    for (let at: DirNode | undefined = dir; at !== undefined; at = at.parent) {
      if (at.moving !== undefined) return at.moving;
    }
  }
  return undefined;
}
