import type { SyncPlan } from '../../engine/file-work.ts';
import { isSameStore } from '../../engine/place/overlap.ts';
import { counted } from '../../kit/counted.ts';
import type { PlannedChange } from '../../review/planned-change.ts';

/**
 * What a change asks of the remotes, in order.
 *
 * @param trash where the old file of the destination is kept
 */
export function requestsOf(
  { source, dest, verb, options }: SyncPlan,
  { kind, path, size, dest: old }: PlannedChange,
  trash: string | undefined,
): readonly string[] {
  const bytes = size < 0 ? '' : ` (${counted(size, 'byte')})`;
  const backUp =
    old !== undefined && options.backup !== undefined && kind !== 'time'
      ? [`move ${path} of ${dest.title} to ${options.backup.remote.title}`]
      : [];
  const keep = trash === undefined ? [] : [`keep ${path} of ${dest.title} in ${trash}`];
  const isWithin = dest.can.copyFrom !== undefined && isSameStore(source, dest);
  switch (kind) {
    case 'copy':
    case 'update':
    case 'move': {
      const read = isWithin ? [] : [`read ${path} of ${source.title}${bytes}`];
      const write = isWithin
        ? `copy ${path} within ${dest.title}${bytes}`
        : `write ${path} to ${dest.title}${bytes}`;
      return [
        ...backUp,
        ...read,
        ...keep,
        write,
        ...(verb === 'move' ? [`delete ${path} of ${source.title}`] : []),
      ];
    }
    case 'time':
      return [`set the modification time of ${path} of ${dest.title}`];
    case 'delete':
      if (verb === 'move') return [`delete ${path} of ${source.title}`];
      if (options.backup !== undefined) return backUp;
      return [
        trash === undefined
          ? `delete ${path} of ${dest.title}`
          : `move ${path} of ${dest.title} to ${trash}`,
      ];
    case 'rename':
      return [`rename ${path} of ${dest.title}`];
    case 'make-dir':
      return [`create the directory ${path} of ${dest.title}`];
    case 'remove-dir':
      return [`delete the directory ${path} of ${dest.title}, if it is empty`];
    // Of two-way syncs, which `why` does not explain.
    case 'conflict':
      return [];
  }
}
