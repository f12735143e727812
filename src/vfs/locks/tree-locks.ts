import { abortable } from '../../core/context.ts';
import type { Op } from '../../core/remote.ts';
import type { DirNode } from '../tree/node.ts';

/** What is known of a directory whose path is in use. */
interface PathLock {
  /** Calls to the remote that use its path or one below it. */
  users: number;
  /** Resolves when it has moved; while it is set, its path must not be used. */
  moving: Promise<void> | undefined;
  /** Called when its path is not in use any more. */
  idle: (() => void) | undefined;
  /** Resolves when the last started change of its entries has ended. */
  changing: Promise<void> | undefined;
}

/**
 * Serialises changes of one directory, as the kernel does. Calls to the remote hold the directories above their path,
 * so that none is renamed. Directories are moved one after another, exclusively with all below them. Responses from
 * memory need no lock.
 */
export class TreeLocks {
  #moves: Promise<void> = Promise.resolve();
  /** Only of directories that are in use. */
  readonly #locks = new Map<DirNode, PathLock>();

  /** Whether a call uses the path of a directory, moves it or changes its entries, or waits for that. */
  isBusy(dir: DirNode): boolean {
    return this.#locks.has(dir);
  }

  /** Whether a directory is being moved. */
  isMoving(dir: DirNode): boolean {
    return this.#locks.get(dir)?.moving !== undefined;
  }

  /** Runs `call` while the paths of `dirs` cannot change. */
  async use<T>(dirs: readonly DirNode[], op: Op, call: () => Promise<T>): Promise<T> {
    // All or none: a waiting caller holds none.
    for (let moving = this.#movingAbove(dirs); moving; moving = this.#movingAbove(dirs)) {
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
    for (const each of held) this.#lockOf(each).users++;
    return () => {
      for (const each of held) {
        const lock = this.#lockOf(each);
        lock.users--;
        if (lock.users === 0) lock.idle?.();
        this.#drop(each, lock);
      }
    };
  }

  /** Runs `call`, which changes the entries of these directories, after earlier changes. */
  async change<T>(dirs: readonly DirNode[], op: Op, call: () => Promise<T>): Promise<T> {
    const ordered = [...new Set(dirs)].sort((a, b) => a.inode - b.inode);
    return this.#inTurn(ordered, op, () => this.use(ordered, op, call));
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
    const lock = this.#lockOf(dir);
    lock.moving = promise;
    try {
      const idle = new Promise<void>((isIdle) => {
        lock.idle = isIdle;
      });
      if (lock.users > 0) await abortable(idle, op.signal);
      return await call();
    } finally {
      lock.idle = undefined;
      lock.moving = undefined;
      this.#drop(dir, lock);
      resolve();
    }
  }

  async #inTurn<T>(
    [first, ...rest]: readonly DirNode[],
    op: Op,
    call: () => Promise<T>,
  ): Promise<T> {
    if (first === undefined) return call();
    const lock = this.#lockOf(first);
    const before = lock.changing;
    const { promise, resolve } = Promise.withResolvers<void>();
    const mine = before === undefined ? promise : before.then(() => promise);
    lock.changing = mine;
    try {
      if (before !== undefined) await abortable(before, op.signal);
      return await this.#inTurn(rest, op, call);
    } finally {
      resolve();
      if (lock.changing === mine) lock.changing = undefined;
      this.#drop(first, lock);
    }
  }

  #movingAbove(dirs: readonly DirNode[]): Promise<void> | undefined {
    for (const dir of dirs) {
      for (let at: DirNode | undefined = dir; at !== undefined; at = at.parent) {
        const moving = this.#locks.get(at)?.moving;
        if (moving !== undefined) return moving;
      }
    }
    return undefined;
  }

  #lockOf(dir: DirNode): PathLock {
    let lock = this.#locks.get(dir);
    if (lock === undefined) {
      lock = { users: 0, moving: undefined, idle: undefined, changing: undefined };
      this.#locks.set(dir, lock);
    }
    return lock;
  }

  #drop(dir: DirNode, lock: PathLock): void {
    const isBusy = lock.users > 0 || lock.moving !== undefined || lock.changing !== undefined;
    if (!isBusy && this.#locks.get(dir) === lock) this.#locks.delete(dir);
  }
}
