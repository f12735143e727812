import { SyncerError } from '../core/errors.ts';
import { compareNames } from '../core/name-order.ts';
import type { Entry } from '../core/remote.ts';
import { orderedBatches } from './ordered-batches.ts';
import type { Walk } from './walk.ts';
import { parentOf } from './walk-flat.ts';

/** How many names are asked for before their entries are given out. */
const BLOCK = 1000;

/**
 * The files that are named (`--files-from`) and exist, each asked for by itself, sorted by path. Where
 * directories are wanted, those come that exist and are to hold such files, each before its files.
 */
export async function* walkListed(
  walk: Walk,
  names: ReadonlySet<string>,
  maxDepth: number,
): AsyncGenerator<readonly Entry[]> {
  const { want, op, remote } = walk;
  await requireRoot(walk);
  const paths = [...names].filter((path) => isWithinDepth(path, maxDepth, want)).sort(compareNames);
  const seen = new Set(['']);
  for (let from = 0; from < paths.length; from += BLOCK) {
    const block = paths.slice(from, from + BLOCK);
    const found = orderedBatches(block, walk.atOnce, async (path) => ({
      path,
      entry: await remote.stat(path, op),
    }));
    for await (const batch of found) {
      const out: Entry[] = [];
      for (const { path, entry } of batch) {
        const file = entry?.kind === 'file' ? entry : undefined;
        if (want !== 'files') {
          for (const dir of newParents(path, seen)) {
            if (!isWithinDepth(dir, maxDepth, 'files')) continue;
            const parent = await dirEntry(walk, dir, file !== undefined);
            if (parent !== undefined) out.push(parent);
          }
        }
        if (file === undefined || want === 'dirs') continue;
        if (isWithinDepth(path, maxDepth, 'files')) out.push(file);
      }
      if (out.length > 0) yield out;
    }
  }
}

/** Rejects with `directory-not-found` where the root is missing: no file of the list would be found, and nothing said. */
async function requireRoot({ remote, op }: Walk): Promise<void> {
  if (!remote.traits.emptyDirs || remote.root === '') return;
  if ((await remote.stat('', op)) !== undefined) return;
  throw new SyncerError('directory-not-found', `${remote.title}: directory not found`, {
    path: remote.root,
  });
}

/** Whether a path lies within the depth; where directories are wanted, those above any file do. */
function isWithinDepth(path: string, maxDepth: number, want: Walk['want']): boolean {
  return want !== 'files' || maxDepth < 0 || path.split('/').length <= maxDepth;
}

/** The directories above a path that were not seen before, outermost first. */
function newParents(path: string, seen: Set<string>): string[] {
  const parents: string[] = [];
  for (let dir = parentOf(path); !seen.has(dir); dir = parentOf(dir)) {
    seen.add(dir);
    parents.unshift(dir);
  }
  return parents;
}

/** `holdsFile`: it is a directory in any case. */
async function dirEntry(
  { remote, op }: Walk,
  path: string,
  holdsFile: boolean,
): Promise<Entry | undefined> {
  const entry = await remote.stat(path, op);
  if (entry?.kind === 'dir') return entry;
  return holdsFile ? { kind: 'dir', path } : undefined;
}
