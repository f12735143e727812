import type { DirNode, PathWalk, Snapshot } from './node.ts';

/** The children of a directory as they are now; shared by all who read it until it changes. */
export function snapshotOf(dir: DirNode): Snapshot {
  dir.snapshot ??= {
    names: [...(dir.children?.keys() ?? [])],
    nodes: [...(dir.children?.values() ?? [])],
  };
  return dir.snapshot;
}

/** How far readers of a directory have got. */
export function walkOf(dir: DirNode): PathWalk {
  dir.walk ??= {
    ...{ dirs: 0, files: 0, lastFile: undefined },
    ...{ dirsAhead: 0, filesAhead: 0, dirCursor: 0, fileCursor: 0 },
  };
  return dir.walk;
}
