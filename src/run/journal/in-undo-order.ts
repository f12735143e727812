import { parentPath } from '../../core/remote-path.ts';
import type { RunChange } from './read-run.ts';

/**
 * Changes in the order in which they are undone: the last one first. What was created below the name of a file that the
 * run deleted was noted before, if both were under way at the same time, and is undone before the file is restored.
 */
export function inUndoOrder(changes: readonly RunChange[]): readonly RunChange[] {
  const freed = new Map<string, number>();
  for (const { n, do: deed, place, path, from, dir } of changes) {
    if (deed === 'delete' && dir !== true) freed.set(`${place}\n${path}`, n);
    if (deed === 'move' && dir !== true && from) freed.set(`${from.place}\n${from.path}`, n);
  }
  const whenMade = ({ n, do: deed, place, path }: RunChange) => {
    if (deed !== 'create' && deed !== 'make-dir' && deed !== 'move') return n;
    let at = n;
    for (let dir = deed === 'make-dir' ? path : parentPath(path); dir !== ''; dir = parentPath(dir))
      at = Math.max(at, (freed.get(`${place}\n${dir}`) ?? 0) + 0.5);
    return at;
  };
  const timed = changes.map((change) => ({ change, at: whenMade(change) }));
  return timed.sort((a, b) => b.at - a.at || b.change.n - a.change.n).map(({ change }) => change);
}
