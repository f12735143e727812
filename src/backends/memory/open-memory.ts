import type { Context } from '../../core/context.ts';
import type { Remote } from '../../core/remote.ts';
import type { OpenParams } from '../backend.ts';
import { memoryRemote } from './memory-remote.ts';
import { MemoryTree } from './memory-tree.ts';

/** One tree a run and remote name, so that two remotes of one command see the same files. */
const trees = new WeakMap<Context, Map<string, MemoryTree>>();

/** Opens a remote in memory at `params.root`. */
export async function open(params: OpenParams): Promise<Remote> {
  const ofRun = trees.get(params.context) ?? new Map<string, MemoryTree>();
  trees.set(params.context, ofRun);
  const tree = ofRun.get(params.name) ?? new MemoryTree();
  ofRun.set(params.name, tree);
  return memoryRemote({ name: params.name, root: params.root.replace(/^\/+|\/+$/g, ''), tree });
}
