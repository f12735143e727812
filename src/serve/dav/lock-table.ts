import { randomUUID } from 'node:crypto';
import { isWithin, parentPath } from '../../core/remote-path.ts';
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

/** How many locks there may be. */
const MOST = 10_000;

/** The locks of a server, in memory. */
export class LockTable {
  readonly #locks = new Map<string, Lock>();
  readonly #now: () => number;

  /** @param now milliseconds that never go back */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Throws `HttpError`: 423 if another lock forbids it, 507 if there are too many. */
  add(lock: Omit<Lock, 'token' | 'expires'>): Lock {
    const others = [...this.covering(lock.path), ...(lock.isDeep ? this.below(lock.path) : [])];
    if (others.some(({ isShared }) => !isShared || !lock.isShared))
      throw new HttpError(423, 'Locked');
    if (this.#locks.size >= MOST) throw new HttpError(507, 'Insufficient Storage: too many locks');
    const token = `urn:uuid:${randomUUID()}`;
    const added = { ...lock, token, expires: this.#now() + lock.seconds * 1000 };
    this.#locks.set(token, added);
    return added;
  }

  refresh(lock: Lock, seconds: number): Lock {
    const renewed = { ...lock, seconds, expires: this.#now() + seconds * 1000 };
    this.#locks.set(lock.token, renewed);
    return renewed;
  }

  delete(token: string): void {
    this.#locks.delete(token);
  }

  /** The lock of a token that covers a path. */
  find(token: string, path: string): Lock | undefined {
    return this.covering(path).find((lock) => lock.token === token);
  }

  /** The locks that forbid others to change a path: its own, and deep ones of directories above. */
  covering(path: string): Lock[] {
    return this.#live().filter(
      (lock) => lock.path === path || (lock.isDeep && isWithin(lock.path, path)),
    );
  }

  /** The locks of what is below a path. */
  below(path: string): Lock[] {
    return this.#live().filter((lock) => lock.path !== path && isWithin(path, lock.path));
  }

  /** Ends the locks of a path and below it, when that is deleted or moved. */
  remove(path: string): void {
    for (const { path: locked, token } of this.#locks.values()) {
      if (isWithin(path, locked)) this.#locks.delete(token);
    }
  }

  /**
   * Whether a change is allowed with these tokens. `names`: a name in the directory above appears or disappears, too.
   * `isDeep`: everything below changes, too. Returns the path of a lock that forbids it.
   */
  forbidden(
    change: { readonly path: string; readonly names?: boolean; readonly isDeep?: boolean },
    user: string,
    tokens: ReadonlySet<string>,
  ): string | undefined {
    const { path, names = false, isDeep = false } = change;
    const places = [this.covering(path)];
    if (names && path !== '') places.push(this.covering(parentPath(path)));
    if (isDeep) for (const lock of this.below(path)) places.push(this.covering(lock.path));
    const isHeld = (lock: Lock) => tokens.has(lock.token) && lock.user === user;
    return places.find((locks) => locks.length > 0 && !locks.some(isHeld))?.[0]?.path;
  }

  #live(): Lock[] {
    const now = this.#now();
    for (const { token, expires } of this.#locks.values()) {
      if (expires <= now) this.#locks.delete(token);
    }
    return [...this.#locks.values()];
  }
}
