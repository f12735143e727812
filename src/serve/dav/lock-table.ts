import { randomUUID } from 'node:crypto';
import { dirsAbove, isWithin, parentPath } from '../../core/remote-path.ts';
import { HttpError } from '../http-error.ts';

/** A lock of a file or directory. */
export interface Lock {
  /** `urn:uuid:…` */
  readonly token: string;
  readonly path: string;
  /** Everything below is locked too. */
  readonly isDeep: boolean;
  readonly isShared: boolean;
  /** The XML in `D:owner`; `''` for none. */
  readonly owner: string;
  /** Who logged in to lock it. */
  readonly user: string;
  readonly seconds: number;
  /** Milliseconds of the clock. */
  readonly expires: number;
}

export interface DavChange {
  readonly path: string;
  /** A name appears or disappears in the directory above. */
  readonly names?: boolean;
  /** Everything below changes, too. */
  readonly isDeep?: boolean;
}

/** How many locks there may be. */
const MOST = 10_000;

/** The locks of a server, in memory. */
export class LockTable {
  /** By path and token; no path is without locks. */
  readonly #byPath = new Map<string, Map<string, Lock>>();
  readonly #now: () => number;
  #count = 0;

  /** @param now milliseconds that never go back */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Throws `HttpError`: 423 if another lock forbids it, 507 if there are too many. */
  add(lock: Omit<Lock, 'token' | 'expires'>): Lock {
    const { path, isDeep } = lock;
    const below = isDeep ? this.#lockedBelow(path) : [];
    const others = [...this.covering(path), ...below.flatMap((one) => this.#at(one))];
    if (others.some(({ isShared }) => !isShared || !lock.isShared))
      throw new HttpError(423, 'Locked');
    if (this.#count >= MOST) for (const one of [...this.#byPath.keys()]) this.#at(one);
    if (this.#count >= MOST) throw new HttpError(507, 'Insufficient Storage: too many locks');
    const token = `urn:uuid:${randomUUID()}`;
    const added = { ...lock, token, expires: this.#now() + lock.seconds * 1000 };
    const own = this.#byPath.get(path) ?? new Map<string, Lock>();
    this.#byPath.set(path, own.set(token, added));
    this.#count++;
    return added;
  }

  /** Renews a lock of the table. */
  refresh(lock: Lock, seconds: number): Lock {
    const renewed = { ...lock, seconds, expires: this.#now() + seconds * 1000 };
    this.#byPath.get(lock.path)?.set(lock.token, renewed);
    return renewed;
  }

  delete({ path, token }: Pick<Lock, 'path' | 'token'>): void {
    const own = this.#byPath.get(path);
    if (own?.delete(token) !== true) return;
    this.#count--;
    if (own.size === 0) this.#byPath.delete(path);
  }

  /** The lock of a token that covers a path. */
  find(token: string, path: string): Lock | undefined {
    return this.covering(path).find((lock) => lock.token === token);
  }

  /** The locks that forbid others to change a path: its own, and deep ones of directories above. */
  covering(path: string): Lock[] {
    const above = path === '' ? [] : [...dirsAbove(path), ''];
    const isDeep = (lock: Lock) => lock.isDeep;
    return [...this.#at(path), ...above.flatMap((dir) => this.#at(dir).filter(isDeep))];
  }

  /** Ends the locks of a path and below it, when that is deleted or moved. */
  remove(path: string): void {
    for (const [locked, own] of [...this.#byPath]) {
      if (!isWithin(path, locked)) continue;
      this.#byPath.delete(locked);
      this.#count -= own.size;
    }
  }

  /** The path of a lock that forbids a user to make a change with these tokens; `undefined` if none does. */
  forbidden(change: DavChange, user: string, tokens: ReadonlySet<string>): string | undefined {
    const { path, names = false, isDeep = false } = change;
    const isHeld = (lock: Lock) => tokens.has(lock.token) && lock.user === user;
    const above = names && path !== '' ? [parentPath(path)] : [];
    for (const one of [path, ...above, ...(isDeep ? this.#lockedBelow(path) : [])]) {
      const locks = this.covering(one);
      if (!locks.some(isHeld) && locks[0] !== undefined) return locks[0].path;
    }
    return undefined;
  }

  /** The paths below one that have locks of their own. */
  #lockedBelow(path: string): string[] {
    const below = (locked: string) => locked !== path && isWithin(path, locked);
    return [...this.#byPath.keys()].filter((one) => below(one) && this.#at(one).length > 0);
  }

  /** The locks of a path; those that have expired end. */
  #at(path: string): Lock[] {
    const now = this.#now();
    const own = [...(this.#byPath.get(path)?.values() ?? [])];
    for (const lock of own) if (lock.expires <= now) this.delete(lock);
    return own.filter(({ expires }) => expires > now);
  }
}
