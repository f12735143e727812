import type { RenameRule } from '../mount-ops.ts';
import type { DirNode } from '../tree/node.ts';

/** A name in a directory. */
export interface NodePlace {
  readonly dir: DirNode;
  readonly name: string;
}

/** What is to be renamed, and how. */
export interface Renaming {
  readonly from: NodePlace;
  readonly to: NodePlace;
  readonly how: RenameRule;
}
