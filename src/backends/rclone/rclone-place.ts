import { foldName } from '../../core/name-order.ts';
import { ancestorsOf, type Place, type PlaceKind, remoteId, type Views } from '../../core/place.ts';
import { joinPath } from '../../core/remote-path.ts';

/** Types whose remotes show the files of other remotes, and of this machine, under their names. */
const WRAPPERS: ReadonlySet<string> = new Set([
  'archive',
  'cache',
  'chunker',
  'combine',
  'compress',
  'hasher',
  'union',
]);

const ANY: readonly PlaceKind[] = ['disk', 's3', 'drive', 'rclone'];

/** What identifies a remote of rclone. */
interface PlacedRemote {
  readonly name: string;
  readonly type: string;
  readonly root: string;
  readonly ignoresCase: boolean;
}

/**
 * Where the files of a remote are: below its name in the configuration. Another name may be the same account; that a
 * server is this machine is not noticed, as in rclone.
 */
export function rclonePlace({ name, type, root, ignoresCase }: PlacedRemote): Place {
  const views: Views = { of: WRAPPERS.has(type) ? ANY : ['rclone'], lateMs: 0 };
  return {
    kind: 'rclone',
    store: `rclone ${name}`,
    async lineage(path) {
      const fold = ignoresCase ? foldName : undefined;
      return { ancestors: ancestorsOf(remoteId(name, ''), joinPath(root, path), fold) };
    },
    views: async () => views,
  };
}
