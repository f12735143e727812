import type { KeptKind } from '../core/entry-details.ts';
import type { NodeId } from './node.ts';
import type { SizeTree } from './size-tree.ts';

const UNKNOWN = '????-??-?? ??:??:??';

/** As ` @2026-01-31 23:59:59Z`: a name in a directory shows which version of which object it is. */
const SUFFIX_LENGTH = ` @${UNKNOWN}Z`.length;

/** The name of a version or upload in a tree: the time follows the object's name if it is not the current one. */
export function keptName(name: string, kind: KeptKind, timeMs: number): string {
  if (kind === 'current') return name;
  const date = new Date(timeMs);
  const isKnown = !Number.isNaN(date.getTime()) && timeMs >= 0 && date.getUTCFullYear() <= 9999;
  const text = isKnown ? date.toISOString().slice(0, 19).replace('T', ' ') : UNKNOWN;
  return `${name} @${text}Z`;
}

/** The path of the object that a node is a version of, or will be when the upload ends. */
export function keptPath(tree: SizeTree, node: NodeId): string {
  const path = tree.path(node);
  return tree.isCurrent(node) ? path : path.slice(0, -SUFFIX_LENGTH);
}

/** Where the name of the object ends in the name of a node, in the bytes of all names. */
export function keptEnd(tree: SizeTree, node: NodeId): number {
  return tree.names.end(node) - (tree.isCurrent(node) ? 0 : SUFFIX_LENGTH);
}
