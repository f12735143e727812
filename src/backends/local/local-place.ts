import fs from 'node:fs';
import { nameFromBytes } from '../../core/name-bytes.ts';
import { foldName } from '../../core/name-order.ts';
import { type Ancestor, ancestorsOf, diskId, type Place, remoteId } from '../../core/place.ts';
import { joinPath, leafName } from '../../core/remote-path.ts';
import { fsPath, joinNative } from '../../system/fs-path.ts';
import { type MountedPlace, parseMountTable } from '../../system/parse-mount-table.ts';
import { isFsError } from './fs-error.ts';
import type { LocalDisk } from './local-disk.ts';
import { parentOf } from './partial-file.ts';

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
  let leadsAway: boolean | undefined;
  let mounts: readonly MountedPlace[] | undefined;
  let hasViews: boolean | undefined;
  return {
    kind: 'disk',
    store: 'disk',
    lineage: async (path) => {
      const standing = nearest(disk.dirPathOf(path));
      const mounts = readMounts();
      const holds = mountsIn(disk, standing, mounts).map((mount) => ({
        id: diskId(mount.device, mount.root.slice(1)),
        path: pathBelow(standing.real, mount.mountPoint),
      }));
      // What is missing of the path is folded as it would be where it is created.
      const folds = standing.missing !== '' && disk.naming.ignoresCase(standing.real) === true;
      return { ancestors: ancestorsAt(mounts, standing, folds ? foldName : undefined), holds };
    },
    rootPath: () => disk.naming.fold(disk.settings.root),
    fileId: (path) => fileId(disk, disk.pathOf(path)),
    fingerprint: (path) => {
      const native = disk.pathOf(path);
      const stats = statOf(native, disk.settings.links === 'follow' ? fs.statSync : fs.lstatSync);
      // What every change of the content changes. Devices may get another number at a boot.
      return stats && [stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs, native].join(' ');
    },
    leadsAway: () => {
      const { links, root } = disk.settings;
      leadsAway ??= links === 'follow' || mountsIn(disk, nearest(root), readMounts()).length > 0;
      return leadsAway;
    },
    part: (path) => {
      const { links, root } = disk.settings;
      mounts ??= readMounts();
      hasViews ??= (links === 'follow' ? mounts : mountsIn(disk, nearest(root), mounts)).some(
        isView,
      );
      if (!hasViews) return '';
      const mount = mountOf(mounts, nearest(disk.pathOf(path)).real);
      return mount !== undefined && isView(mount) ? mount.mountPoint : '';
    },
    views: async () => {
      const standing = nearest(disk.settings.root);
      const mounts = readMounts();
      const shown = mountsIn(disk, standing, mounts);
      const types = [mountOf(mounts, standing.real), ...shown].map((mount) => mount?.type ?? '');
      // Longer than the 5 s of `--vfs-write-back`.
      const lateMs = types.some((type) => LATE_VIEW.test(type)) ? 10_000 : 0;
      if (types.some((type) => REMOTE_VIEW.test(type)))
        return { of: ['disk', 's3', 'drive', 'rclone'], lateMs };
      return { of: types.some((type) => LAYER.test(type)) ? ['disk'] : [], lateMs };
    },
  };
}

/** Whether a mount may show files that are elsewhere, too. */
const isView = ({ type }: MountedPlace): boolean => LAYER.test(type) || REMOTE_VIEW.test(type);

/** The existing part of a path, without links, and the rest. */
type Standing = ReturnType<typeof nearest>;

function nearest(native: string) {
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

function ancestorsAt(
  mounts: readonly MountedPlace[],
  { real, missing }: Standing,
  fold?: (path: string) => string,
): Ancestor[] {
  const ancestors: Ancestor[] = [];
  const whole = missing === '' ? real : joinNative(real, missing);
  for (let at = real; ; at = parentOf(at)) {
    const id = inodeOf(at);
    if (id !== undefined) {
      // A missing path is identified by where it would be.
      const unmade = at === real && missing !== '' ? ancestorsOf(`${id}/`, missing, fold) : [];
      ancestors.push(...unmade.slice(0, -1), { id, rest: pathBelow(at, whole) });
    }
    if (at === '/') break;
  }
  const mount = mountOf(mounts, real);
  if (mount === undefined) return ancestors;
  const path = joinPath(pathBelow(mount.mountPoint, real), missing);
  return [...ancestors, ...withinMount(mounts, mount, path)];
}

function mountsIn(
  { settings }: LocalDisk,
  { real, missing }: Standing,
  mounts: readonly MountedPlace[],
): readonly MountedPlace[] {
  if (missing !== '' || settings.oneFileSystem) return [];
  return mounts.filter(({ mountPoint }) => mountPoint !== real && liesIn(real, mountPoint));
}

/** The names of a path below a mount: in its file system, and by the content of the mount. */
function withinMount(mounts: readonly MountedPlace[], mount: MountedPlace, path: string) {
  const inside = joinPath(mount.root.slice(1), path);
  const own = ancestorsOf(diskId(mount.device, ''), inside);
  if (!NAMED_VIEW.test(mount.type)) return own;
  if (mount.source.startsWith('/')) {
    const shown = nearest(joinPath(mount.source, inside));
    // A mount that shows itself has no end.
    return mountOf(mounts, shown.real) === mount ? own : [...own, ...ancestorsAt(mounts, shown)];
  }
  const [, name, root] = /^([^:]+):\/*(.*?)\/*$/s.exec(mount.source) ?? [];
  if (name === undefined || root === undefined) return own;
  return [...own, ...ancestorsOf(remoteId(name, ''), joinPath(root, inside))];
}

function inodeOf(path: string): string | undefined {
  const stats = statOf(path, fs.statSync);
  return stats && `inode ${stats.dev}:${stats.ino}`;
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
  return `${inodeOf(parentOf(path))}/${name}`;
}

function statOf(path: string, look: typeof fs.statSync | typeof fs.lstatSync) {
  try {
    return look(fsPath(path), { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** The mounts that this process sees, oldest first: later ones hide earlier ones. None if they are not listed. */
export function readMounts(): readonly MountedPlace[] {
  try {
    return parseMountTable(fs.readFileSync('/proc/self/mountinfo'));
  } catch {
    return [];
  }
}

/** The mount of a path without links. */
export function mountOf(mounts: readonly MountedPlace[], path: string): MountedPlace | undefined {
  let found: MountedPlace | undefined;
  for (const mount of mounts) {
    if (!liesIn(mount.mountPoint, path)) continue;
    if (found === undefined || mount.mountPoint.length >= found.mountPoint.length) found = mount;
  }
  return found;
}

/** The path from a directory to an absolute path in it. */
export function pathBelow(dir: string, path: string): string {
  return path.slice(dir === '/' ? 1 : dir.length + 1);
}

function liesIn(dir: string, path: string): boolean {
  return path === dir || path.startsWith(dir === '/' ? '/' : `${dir}/`);
}
