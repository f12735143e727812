import { foldName } from '../../core/name-order.ts';
import type { Op } from '../../core/remote.ts';
import { type DirNode, isOpen, type Node } from '../tree/node.ts';

/** How long the known entries of a directory are valid, and how names are compared. */
export interface KnowingRules {
  readonly ignoresCase: boolean;
  readonly dirCacheTime: number;
}

/** Whether the whole listing of a directory is known and not too old. */
export function isFresh(dir: DirNode, { dirCacheTime }: KnowingRules, now: number): boolean {
  return now - dir.listedAt < dirCacheTime;
}

/** The node of a name, without a request: `undefined` if there is none, `unknown` if a request is needed. */
export function findKnown(
  dir: DirNode,
  name: string,
  rules: KnowingRules,
  now: number,
): Node | undefined | 'unknown' {
  if (isFresh(dir, rules, now)) return findListed(dir, name, rules);
  const exact = dir.children?.get(name);
  if (exact === undefined) return 'unknown';
  const checkedAt = dir.checked?.get(name);
  if (checkedAt !== undefined && now - checkedAt < rules.dirCacheTime) return exact;
  // The remote does not have it yet.
  const isOurs = exact.kind === 'dir' ? exact.isVirtual : exact.isDirty && isOpen(exact);
  return isOurs ? exact : 'unknown';
}

/** The node of a name in a directory whose listing was read. */
export function findListed(
  dir: DirNode,
  name: string,
  { ignoresCase }: Pick<KnowingRules, 'ignoresCase'>,
): Node | undefined {
  const exact = dir.children?.get(name);
  if (exact !== undefined || !ignoresCase || dir.children === undefined) return exact;
  // The child whose name differs in case only.
  if (dir.folded === undefined) {
    dir.folded = new Map();
    for (const each of dir.children.keys()) dir.folded.set(foldName(each), each);
  }
  const spelt = dir.folded.get(foldName(name));
  return spelt === undefined ? undefined : dir.children.get(spelt);
}

/** The known state of directories; the class is `Listings`. */
export interface KnownDirs {
  /** The node of a name in a directory; `undefined` if there is none. */
  find(dir: DirNode, name: string, op: Op): Promise<Node | undefined>;
  /** As `find`, for a caller that holds the directory's path. */
  findHeld(dir: DirNode, name: string, op: Op): Promise<Node | undefined>;
  /** A directory was just created: it is empty. */
  knowEmpty(dir: DirNode): void;
  /** Expires all listings; they are read again on demand. */
  refresh(): void;
}
