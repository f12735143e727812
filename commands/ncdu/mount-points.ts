import { isWithin } from '../../src/core/remote-path.ts';
import { encodingOf, toStandardPath } from '../../src/names/name-encoding.ts';
import { realPath } from '../../src/system/fs-path.ts';
import { parseMountTable, readMounts } from '../../src/system/mounts.ts';

/** How names of a listing differ from those on a disk. */
const ON_DISK = encodingOf(['Slash', 'Dot']);

/**
 * The paths below the directory `root` where file systems are mounted, at or below one of `dirs`; paths are relative to
 * `root`. None if the system does not list its mounts.
 */
export function mountPoints(
  root: string,
  dirs: readonly string[],
  table?: Uint8Array,
): readonly string[] {
  const mounts = table === undefined ? readMounts() : parseMountTable(table);
  const top = realPath(root).replace(/\/$/, '');
  const paths = mounts.flatMap(({ mountPoint }) =>
    mountPoint.startsWith(`${top}/`)
      ? [toStandardPath(ON_DISK, mountPoint.slice(top.length + 1))]
      : [],
  );
  return [...new Set(paths)].filter(
    (path) => path !== '' && dirs.some((dir) => isWithin(dir, path)),
  );
}
