import { type DirNode, isOpen, type Node } from '../tree/node.ts';
import type { VfsParts } from '../vfs-parts.ts';
import type { KnowingRules } from './find-known.ts';

/** Frees an expired listing. `true` if nothing is left that can expire. */
export function forgetExpired(vfs: VfsParts, rules: KnowingRules, dir: DirNode): boolean {
  const now = vfs.clock.monotonic();
  if (!vfs.tree.has(dir)) return true;
  const counts = now - dir.listedAt < rules.dirCacheTime;
  if (counts || dir.loading !== undefined || dir.readers > 0) return false;
  for (const [name, at] of dir.checked ?? []) {
    if (now - at >= rules.dirCacheTime) dir.checked?.delete(name);
  }
  const asksBack = vfs.tree.size > vfs.nodeLimit / 2;
  for (const node of [...(dir.children?.values() ?? [])]) {
    if (dir.checked?.has(node.name)) continue;
    if (isUnused(node)) vfs.tree.detach(node);
    else if (asksBack && node.kind === 'file' && !isOpen(node)) {
      vfs.invalidations.entry(dir.inode, node.name);
    }
  }
  dir.snapshot = undefined;
  dir.folded = undefined;
  if (dir.checked !== undefined && dir.checked.size > 0) return false;
  dir.checked = undefined;
  if (dir.children?.size === 0) dir.children = undefined;
  forgetUnused(vfs, rules, dir);
  return true;
}

/** Drops an unused node, and then the directories above it, unless a valid listing holds them. */
export function forgetUnused(vfs: VfsParts, rules: KnowingRules, node: Node): void {
  const now = vfs.clock.monotonic();
  for (let at: Node = node; at.parent !== undefined; ) {
    const { parent }: { parent: DirNode } = { parent: at.parent };
    const counts = now - parent.listedAt < rules.dirCacheTime || parent.checked?.has(at.name);
    if (counts || parent.loading !== undefined || !isUnused(at)) return;
    vfs.tree.detach(at);
    at = parent;
  }
}

/** Whether neither the kernel nor a running call uses a node, and the remote can list it again. */
function isUnused(node: Node): boolean {
  if (node.lookups > 0) return false;
  if (node.kind === 'file') return !node.isDirty && !isOpen(node);
  const isBusy =
    node.readers > 0 || node.users > 0 || node.moving !== undefined || node.changing !== undefined;
  const holds = (node.children?.size ?? 0) > 0 || node.leftovers !== undefined;
  return !isBusy && !holds && !node.isVirtual;
}
