import fs from 'node:fs';
import type { Metadata } from '../../core/entry-details.ts';
import { formatRfc3339Nano } from '../../core/mod-time.ts';
import { nameFromBytes } from '../../core/name-bytes.ts';
import type { ExtendedAttributes } from './extended-attributes.ts';
import { AttributeError, fsError, showPath } from './fs-error.ts';
import { fsPath } from './fs-path.ts';
import type { LocalDisk } from './local-disk.ts';
import {
  attributeFailure,
  attributesOf,
  refuseAttributes,
  SYSTEM_KEYS,
  USER_PREFIX,
} from './metadata-plan.ts';

/**
 * The disk's metadata of a file, under rclone's names. Throws `SyncerError`.
 *
 * @param quietly without a log line if there are no extended attributes: the user asked for none
 */
export async function readMetadata(
  disk: LocalDisk,
  native: string,
  quietly = false,
): Promise<Metadata> {
  const attributes = quietly
    ? await disk.attributes().catch(() => undefined)
    : await attributesOf(disk);
  const follow = disk.settings.links === 'follow';
  try {
    const path = follow ? nameFromBytes(fs.realpathSync.native(fsPath(native), 'buffer')) : native;
    const stats = fs.lstatSync(fsPath(path), { bigint: true });
    return {
      ...(attributes === undefined ? {} : userMetadata(disk, attributes, path, quietly)),
      ...systemMetadata(stats),
    };
  } catch (thrown) {
    throw fsError(thrown, 'read metadata of', native);
  }
}

/** Without `rdev`, which only devices have: these are no files. */
function systemMetadata(stats: fs.BigIntStats): Metadata {
  return {
    mode: stats.mode.toString(8),
    uid: String(stats.uid),
    gid: String(stats.gid),
    atime: formatRfc3339Nano(stats.atimeNs),
    mtime: formatRfc3339Nano(stats.mtimeNs),
    btime: formatRfc3339Nano(stats.birthtimeNs),
  };
}

function userMetadata(
  disk: LocalDisk,
  attributes: ExtendedAttributes,
  path: string,
  quietly: boolean,
): Metadata {
  let name = '';
  try {
    const found: [string, string][] = [];
    for (name of attributes.names(path)) {
      const key = name.toLowerCase();
      if (!key.startsWith(USER_PREFIX) || SYSTEM_KEYS.includes(key.slice(USER_PREFIX.length))) {
        continue;
      }
      const value = attributes.get(path, name);
      if (value !== undefined) found.push([key.slice(USER_PREFIX.length), nameFromBytes(value)]);
    }
    return Object.fromEntries(found);
  } catch (thrown) {
    if (!(thrown instanceof AttributeError)) throw thrown;
    if (thrown.isUnsupported) {
      if (!quietly) refuseAttributes(disk, `${thrown.message}: ${showPath(path)}`);
      return {};
    }
    const what = name === '' ? 'failed to read xattr' : `failed to read xattr key "${name}"`;
    throw attributeFailure(`${what} of ${showPath(path)}: ${thrown.message}`, path, thrown);
  }
}
