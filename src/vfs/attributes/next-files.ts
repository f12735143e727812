import type { DirNode, FileNode } from '../tree/node.ts';
import { snapshotOf, walkOf } from '../tree/snapshot.ts';

/** Nobody reads ahead for who asks for fewer files of a directory. */
const ASKED_BEFORE_AHEAD = 3;
/** How far ahead of those who ask. */
const AHEAD = 64;

/**
 * Counts the question for a file of a directory, and gives the files that are likely to be asked for next while
 * `hasRoom`.
 */
export function* nextFiles(
  dir: DirNode,
  asked: FileNode,
  hasRoom: () => boolean,
): Generator<FileNode> {
  const walk = walkOf(dir);
  if (walk.lastFile === asked) return;
  walk.lastFile = asked;
  walk.files++;
  const isDone = walk.fileCursor >= (dir.children?.size ?? 0);
  if (walk.files < ASKED_BEFORE_AHEAD || isDone) return;
  const { nodes } = snapshotOf(dir);
  while (walk.fileCursor < nodes.length && walk.filesAhead < walk.files + AHEAD && hasRoom()) {
    const node = nodes[walk.fileCursor++];
    if (node?.kind !== 'file' || node.parent !== dir) continue;
    walk.filesAhead++;
    yield node;
  }
}
