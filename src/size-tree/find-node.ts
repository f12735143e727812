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
