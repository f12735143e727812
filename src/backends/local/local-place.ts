import fs from 'node:fs';
import { nameFromBytes } from '../../core/name-bytes.ts';
import { foldName } from '../../core/name-order.ts';
import {
  type Ancestor,
  ancestorsOf,
  type Place,
  type PlaceKind,
  remoteId,
} from '../../core/place.ts';
import { joinPath, leafName } from '../../core/remote-path.ts';
import { fsPath, joinNative } from '../../system/fs-path.ts';
import { type MountedPlace, mountsAt, readMounts } from '../../system/mounts.ts';
import { isFsError } from './fs-error.ts';
import type { LocalDisk } from './local-disk.ts';
import { parentOf } from './local-entry.ts';

/** Mounts that show a directory of this machine, or a remote that the mount table names as it was typed. */
const NAMED_VIEW = /^fuse\.(?:rclone|syncer|bindfs)$/;
/** File systems that show the content of other file systems of this machine. */
const LAYER = /^(?:overlay|aufs|ecryptfs)$/;

/** File systems whose files are elsewhere: on a server, or where a program decides. Not `fuseblk`, which is a disk. */
const REMOTE_VIEW =
  /^(?:fuse$|fuse\.|nfs|cifs$|smb|9p$|virtiofs$|ceph$|afs$|lustre$|vboxsf$|davfs)/;

/** File systems that delay the upload of written data. */
const LATE_VIEW = /^fuse\.(?:rclone|syncer|s3fs|goofys|gcsfuse|mountpoint-s3|onedriver)$/;

/** Where a local remote's files are: by device and inode, and by their path within their file system. */
export function localPlace(disk: LocalDisk): Place {
  const { links, root } = disk.settings;
  let leadsAway: boolean | undefined;
  let mounts: readonly MountedPlace[] | undefined;
  let hasViews: boolean | undefined;
  return {
    kind: 'disk',
    store: 'disk',
    lineage: async (path) => {
      const standing = standingAt(disk, disk.dirPathOf(path));
      const { real, missing, below } = standing;
      const holds: { readonly id: string; readonly path: string }[] = [];
      for (const mount of below) {
        const id = `disk ${mount.device}:${mount.root.slice(1)}`;
        holds.push({ id, path: pathBelow(real, mount.mountPoint) });
      }
      // What is missing of the path is folded as it would be where it is created.
      const folds = missing !== '' && disk.naming.ignoresCase(real) === true;
      return { ancestors: ancestorsAt(standing, folds ? foldName : undefined), holds };
    },
    rootPath: () => disk.naming.fold(root),
    fileId: (path) => fileId(disk, disk.pathOf(path)),
    fingerprint: (path) => {
      const native = disk.pathOf(path);
      const stats = statOf(native, links === 'follow' ? fs.statSync : fs.lstatSync);
      // What every change of the content changes. Devices may get another number at a boot.
      return stats && [stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs, native].join(' ');
    },
    leadsAway: () => {
      leadsAway ??= links === 'follow' || standingAt(disk, root).below.length > 0;
      return leadsAway;
    },
    part: (path) => {
      mounts ??= readMounts();
      hasViews ??= (links === 'follow' ? mounts : standingAt(disk, root, mounts).below).some(
        isView,
      );
      if (!hasViews) return '';
      const { around } = mountsAt(mounts, nearest(disk.pathOf(path)).real);
      return around !== undefined && isView(around) ? around.mountPoint : '';
    },
    views: async () => {
      const { around, below } = standingAt(disk, root);
      let of: readonly PlaceKind[] = [];
      let lateMs = 0;
      for (const mount of around === undefined ? below : [around, ...below]) {
        // Longer than the 5 s of `--vfs-write-back`.
        if (LATE_VIEW.test(mount.type)) lateMs = 10_000;
        if (REMOTE_VIEW.test(mount.type)) of = ['disk', 's3', 'drive', 'rclone'];
        else if (LAYER.test(mount.type) && of.length === 0) of = ['disk'];
      }
      return { of, lateMs };
    },
  };
}

/** Whether a mount may show files that are elsewhere, too. */
const isView = ({ type }: MountedPlace): boolean => LAYER.test(type) || REMOTE_VIEW.test(type);

/** Where a path is, and the mounts there: that which it is in, and those that are visible below it. */
interface Standing extends ReturnType<typeof nearest> {
  readonly mounts: readonly MountedPlace[];
  readonly around: MountedPlace | undefined;
  readonly below: readonly MountedPlace[];
}

function standingAt(
  { settings }: LocalDisk,
  native: string,
  known?: readonly MountedPlace[],
): Standing {
  const { real, missing } = nearest(native);
  const mounts = known ?? readMounts();
  const { around, below } = mountsAt(mounts, real);
  const hasBelow = missing === '' && !settings.oneFileSystem;
  return { real, missing, mounts, around, below: hasBelow ? below : [] };
}

/** The existing part of a path, without links, and the rest. */
function nearest(native: string): { readonly real: string; readonly missing: string } {
  let [at, missing] = [native, ''];
  for (;;) {
    try {
      return { real: nameFromBytes(fs.realpathSync.native(fsPath(at), 'buffer')), missing };
    } catch (thrown) {
      if (at === '/' || !isFsError(thrown, 'ENOENT', 'ENOTDIR', 'ENAMETOOLONG')) {
        return { real: at, missing };
      }
    }
    missing = joinPath(leafName(at), missing);
    at = parentOf(at);
  }
}

/** The names of a path: by the inodes above it, in the file system of its mount, and by the content of the mount. */
function ancestorsAt(
  { real, missing, mounts, around }: Omit<Standing, 'below'>,
  fold?: (path: string) => string,
): Ancestor[] {
  const ancestors: Ancestor[] = [];
  const whole = missing === '' ? real : joinNative(real, missing);
  for (let end = real.length; ; end = real.lastIndexOf('/', end - 1)) {
    const at = real.slice(0, Math.max(1, end));
    try {
      const { dev, ino } = fs.statSync(fsPath(at), { bigint: true });
      const id = `inode ${dev}:${ino}`;
      // A missing path is identified by where it would be.
      if (at === real && missing !== '')
        ancestors.push(...ancestorsOf(`${id}/`, missing, fold).slice(0, -1));
      ancestors.push({ id, rest: whole.slice(at === '/' ? 1 : end + 1) });
    } catch {
      // Its id cannot be read: others decide.
    }
    if (at === '/') break;
  }
  if (around === undefined) return ancestors;
  const path = joinPath(pathBelow(around.mountPoint, real), missing);
  const inside = joinPath(around.root.slice(1), path);
  ancestors.push(...ancestorsOf(`disk ${around.device}:`, inside));
  if (!NAMED_VIEW.test(around.type)) return ancestors;
  if (around.source.startsWith('/')) {
    const shown = nearest(joinPath(around.source, inside));
    const { around: behind } = mountsAt(mounts, shown.real);
    // A mount that shows itself has no end.
    if (behind === around) return ancestors;
    return [...ancestors, ...ancestorsAt({ ...shown, mounts, around: behind })];
  }
  const [, name, root] = /^([^:]+):\/*(.*?)\/*$/s.exec(around.source) ?? [];
  if (name === undefined || root === undefined) return ancestors;
  return [...ancestors, ...ancestorsOf(remoteId(name, ''), joinPath(root, inside))];
}

/** One that has several names (hard links) is another file under each: the directory and the name tell it. */
function fileId({ settings, naming }: LocalDisk, native: string): string | undefined {
  const stats = statOf(native, settings.links === 'follow' ? fs.statSync : fs.lstatSync);
  if (stats === undefined) return undefined;
  const { dev, ino, nlink } = stats;
  const compared = naming.comparing(parentOf(native));
  if (nlink <= 1n && compared !== 'folded-apart') return `${dev}:${ino}`;
  const path = settings.links === 'follow' ? nearest(native).real : native;
  if (compared === 'folded-apart') return `${dev} ${naming.foldReally(nearest(path).real)}`;
  const name = compared === 'exact' ? leafName(path) : foldName(leafName(path)).normalize('NFC');
  const dir = statOf(parentOf(path), fs.statSync);
  return `inode ${dir?.dev}:${dir?.ino}/${name}`;
}

function statOf(path: string, look: typeof fs.statSync | typeof fs.lstatSync) {
  try {
    return look(fsPath(path), { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** The path from a directory to an absolute path in it. */
export function pathBelow(dir: string, path: string): string {
  return path.slice(dir === '/' ? 1 : dir.length + 1);
}
