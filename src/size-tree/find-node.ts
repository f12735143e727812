import type { KeptKind } from '../core/entry-details.ts';
import { parentPath } from '../core/remote-path.ts';
import type { NodeId } from './node.ts';
import type { SizeTree } from './size-tree.ts';

/** The node at a path below `from`; `undefined` if there is none. Compares every name of each directory. */
export function findNode(tree: SizeTree, from: NodeId, path: string): NodeId | undefined {
  let at = from;
  for (const name of pathSegments(path)) {
    const found = tree.children(at).find((child) => {
      // An old version or an upload has a name in the tree, but no path of its own.
      return tree.isCurrent(child) && tree.name(child) === name;
    });
    if (found === undefined) return undefined;
    at = found;
  }
  return at;
}

/**
 * The names on a path; joined by `/` they are the path again. Of consecutive slashes (`a//b`, which object storage
 * permits) all but the first belong to the next name, and at the end all to the last one.
 */
export function pathSegments(path: string): readonly string[] {
  if (path === '') return [];
  if (!path.startsWith('/') && !path.endsWith('/') && !path.includes('//')) return path.split('/');
  const segments: string[] = [];
  let from = 0;
  const end = path.replace(/\/+$/, '').length;
  for (let at = 1; at < end; at++) {
    const endsName = path[at] === '/' && path.slice(from, at).replaceAll('/', '') !== '';
    if (!endsName) continue;
    segments.push(path.slice(from, at));
    from = at + 1;
  }
  segments.push(path.slice(from));
  return segments;
}

/** The directory that all of these lie in, at any depth. */
export function commonParent(paths: readonly string[]): string {
  const [first = '', ...rest] = paths.map(parentPath);
  return rest.reduce((common, dir) => {
    const [a, b] = [pathSegments(common), pathSegments(dir)];
    let same = 0;
    while (same < a.length && same < b.length && a[same] === b[same]) same++;
    return a.slice(0, same).join('/');
  }, first);
}

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
