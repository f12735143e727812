import { compareNames } from '../core/name-order.ts';
import type { Entry } from '../core/remote.ts';
import { parentPath } from '../core/remote-path.ts';
import { orderedBatches } from './ordered-batches.ts';
import type { Walk } from './walk.ts';

/** How many names are asked for before their entries are given out. */
const BLOCK = 1000;

/**
 * The files that are named (`--files-from`) and exist, each asked for by itself, sorted by path. Where
 * directories are wanted, those that hold such files come, each before its files.
 */
export async function* walkListed(
  walk: Walk,
  names: ReadonlySet<string>,
  maxDepth: number,
): AsyncGenerator<readonly Entry[]> {
  const { want, op, remote } = walk;
  const paths = [...names].filter((path) => isWithinDepth(path, maxDepth, want)).sort(compareNames);
  const seen = new Set(['']);
  for (let from = 0; from < paths.length; from += BLOCK) {
    const block = paths.slice(from, from + BLOCK);
    const found = orderedBatches(block, walk.atOnce, (path) => remote.stat(path, op));
    for await (const batch of found) {
      const out: Entry[] = [];
      for (const entry of batch) {
        if (entry?.kind !== 'file') continue;
        if (want !== 'files') {
          for (const dir of newParents(entry.path, seen)) {
            if (isWithinDepth(dir, maxDepth, 'files')) out.push(await dirEntry(walk, dir));
          }
        }
        if (want !== 'dirs' && isWithinDepth(entry.path, maxDepth, 'files')) out.push(entry);
      }
      if (out.length > 0) yield out;
    }
  }
}

/** Whether a path lies within the depth; where directories are wanted, those above any file do. */
function isWithinDepth(path: string, maxDepth: number, want: Walk['want']): boolean {
  return want !== 'files' || maxDepth < 0 || path.split('/').length <= maxDepth;
}

/** The directories above a path that were not seen before, outermost first. */
function newParents(path: string, seen: Set<string>): string[] {
  const parents: string[] = [];
  for (let dir = parentPath(path); !seen.has(dir); dir = parentPath(dir)) {
    seen.add(dir);
    parents.unshift(dir);
  }
  return parents;
}

async function dirEntry({ remote, op }: Walk, path: string): Promise<Entry> {
  const entry = await remote.stat(path, op);
  return entry?.kind === 'dir' ? entry : { kind: 'dir', path };
}
