import type { ChangedItem } from '../core/changes.ts';
import { hasCode } from '../core/errors.ts';
import type { Node } from './tree/node.ts';
import { distrust } from './tree/own-change.ts';
import type { VfsParts } from './vfs-parts.ts';

/**
 * Requests the changes of the remote every `--poll-interval`, if it supports that, until the file system is closed;
 * changed directories are listed again on demand. Never rejects.
 */
export async function pollChanges(vfs: VfsParts): Promise<void> {
  const { remote, options, clock, signal, log } = vfs;
  const { changes } = remote.can;
  if (changes === undefined || options.pollInterval <= 0) return;
  let token: string | undefined;
  while (!signal.aborted) {
    try {
      const told = await changes(token, { signal });
      if (token !== undefined) forgetChanged(vfs, told.items);
      token = told.token;
    } catch (thrown) {
      if (signal.aborted || hasCode(thrown, 'unsupported')) return;
      log('poll', '', thrown);
    }
    await clock.sleep(options.pollInterval, signal).catch(() => {});
  }
}

/** Expires the known state of these items and their parents; `undefined`: of everything. */
function forgetChanged(vfs: VfsParts, items: readonly ChangedItem[] | undefined): void {
  if (items === undefined) vfs.listings.refresh();
  if (items === undefined || items.length === 0) return;
  const ids = new Set(items.map(({ id }) => id));
  const parents = new Set(items.flatMap(({ parentId }) => parentId ?? []));
  for (const node of vfs.tree.all()) {
    const id = idOf(vfs, node);
    // A directory created here has no ID yet: it may be any of them.
    if (id === undefined && node.kind === 'dir') distrust(node);
    if (id === undefined) continue;
    if (node.kind === 'dir' && parents.has(id)) distrust(node);
    if (!ids.has(id) || node.parent === undefined) continue;
    distrust(node.parent);
    if (node.lookups > 0) vfs.invalidations.entry(node.parent.inode, node.name);
  }
}

function idOf({ tree }: VfsParts, node: Node): string | undefined {
  return node === tree.root ? '' : node.entry?.id;
}
