import { ownText } from '../core/own-text.ts';
import type { Entry } from '../core/remote.ts';
import { parentPath } from '../core/remote-path.ts';

/** A file or directory of a tree that is in memory as a whole. */
export interface TreeNode {
  readonly entry: Entry;
  /** Empty for files, and for directories that were not listed. */
  readonly children: TreeNode[];
}

/** Joins listed entries, in any order, to a tree. */
export class TreeBuilder {
  readonly root: TreeNode = nodeOf({ kind: 'dir', path: '' });
  readonly #dirs = new Map<string, TreeNode>([['', this.root]]);

  /** Adds an entry, and the directories above it that are not there yet. */
  add(entry: Entry): void {
    if (entry.kind === 'dir' && this.#dirs.has(entry.path)) return;
    const node = nodeOf(entry);
    this.#dir(parentPath(entry.path)).children.push(node);
    if (entry.kind === 'dir') this.#dirs.set(entry.path, node);
  }

  #dir(path: string): TreeNode {
    const known = this.#dirs.get(path);
    if (known !== undefined) return known;
    this.add({ kind: 'dir', path });
    return this.#dir(path);
  }
}

/** Files are many: no more of one is kept than is drawn, and it has no list of its own. */
const NONE: TreeNode[] = [];

function nodeOf(entry: Entry): TreeNode {
  const path = ownText(entry.path);
  if (entry.kind === 'dir') return { entry: { ...entry, path }, children: [] };
  const { kind, size, modTime } = entry;
  const drawn = modTime === undefined ? { kind, path, size } : { kind, path, size, modTime };
  return { entry: drawn, children: NONE };
}

/** Whether the path is, or is below, a name that starts with a dot. */
export const isHidden = (path: string): boolean => path.startsWith('.') || path.includes('/.');
