import { foldName } from '../../core/name-order.ts';
import type { Lineage, Place, PlaceKind } from '../../core/place.ts';
import { ancestorsOf, remoteId } from '../../core/place.ts';
import { joinPath } from '../../core/remote-path.ts';

/** A remote of any type may show the files of any place: of this machine by sftp, of a store by a union. */
const ANY: readonly PlaceKind[] = ['disk', 's3', 'drive', 'rclone'];

/** Where the files of a remote are: below its name in the configuration, and that may be anywhere. */
export function rclonePlace(name: string, root: string, ignoresCase: boolean): Place {
  return {
    kind: 'rclone',
    store: `rclone ${name}`,
    async lineage(path): Promise<Lineage> {
      const fold = ignoresCase ? foldName : undefined;
      return { ancestors: ancestorsOf(remoteId(name, ''), joinPath(root, path), fold) };
    },
    views: async () => ({ of: ANY, lateMs: 0 }),
  };
}
