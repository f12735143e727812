import fs from 'node:fs';
import { constants } from 'node:os';
import type { Metadata } from '../../core/entry-details.ts';
import { type ErrorDetails, SyncerError, toSyncerError } from '../../core/errors.ts';
import { formatRfc3339Nano, type ModTime, parseRfc3339 } from '../../core/mod-time.ts';
import { nameFromBytes, nameToBytes } from '../../core/name-bytes.ts';
import { fsPath } from '../../system/fs-path.ts';
import type { ExtendedAttributes } from './extended-attributes.ts';
import { AttributeError, fsError, showPath } from './fs-error.ts';
import type { LocalDisk } from './local-disk.ts';
import { giveTo, replacedFile } from './partial-file.ts';

/** The metadata that a disk keeps itself, under rclone's names; all others are extended attributes. */
const SYSTEM_KEYS: readonly string[] = ['mode', 'uid', 'gid', 'rdev', 'atime', 'mtime', 'btime'];
/** The prefix of users' extended attributes. */
const USER_PREFIX = 'user.';

/**
 * Reads metadata as rclone 1.60.1 does: a user without a group gets the group of the same number, a group alone is
 * ignored; `btime` and `rdev` cannot be set. `mtime` is not read: the writer has it. The attributes have whole names;
 * `senseless` are the keys with invalid values.
 *
 * @param withSpecialBits as rclone sets them: set-user-ID, set-group-ID and the sticky bit only if they are wanted
 */
export function planMetadata(metadata: Metadata, withSpecialBits = false) {
  const read = <T>(key: string, parse: (text: string) => T | undefined): T | undefined => {
    const text = metadata[key];
    return text === undefined ? undefined : parse(text);
  };
  const uid = read('uid', parseId);
  const gid = read('gid', parseId);
  const bits = withSpecialBits ? 0o7777 : 0o777;
  const mode = read('mode', (text) =>
    /^[0-7]{1,7}$/.test(text) ? Number.parseInt(text, 8) & bits : undefined,
  );
  const accessTime = read('atime', parseRfc3339);
  const found: Readonly<Record<string, unknown>> = {
    uid,
    gid,
    mode,
    atime: accessTime,
    mtime: read('mtime', parseRfc3339),
  };
  return {
    attributes: Object.entries(metadata)
      .filter(([key]) => !SYSTEM_KEYS.includes(key.toLowerCase()))
      .map(([key, value]): [string, string] => [USER_PREFIX + key.toLowerCase(), value]),
    owner: uid === undefined ? undefined : { uid, gid: gid ?? uid },
    mode,
    accessTime,
    senseless: Object.keys(found).filter(
      (key) => metadata[key] !== undefined && found[key] === undefined,
    ),
  };
}

function parseId(text: string): number | undefined {
  if (!/^\+?\d{1,10}$/.test(text)) return undefined;
  const id = Number(text);
  // The largest user and group ID.
  return id <= 0xffff_fffe ? id : undefined;
}

/** Access to a disk's extended attributes, loaded on first use; `undefined`, reported once unless `quietly`, if there is none. */
async function attributesOf(disk: LocalDisk, quietly = false) {
  if (disk.refusesAttributes) return undefined;
  try {
    return await disk.attributes();
  } catch (thrown) {
    if (!quietly) refuseAttributes(disk, toSyncerError(thrown).message);
    return undefined;
  }
}

/** Stops using extended attributes on this disk; logs it the first time. */
function refuseAttributes(disk: LocalDisk, why: string): void {
  if (disk.refusesAttributes) return;
  disk.refusesAttributes = true;
  const event = { code: 'attributes-disabled', fields: { why } } as const;
  disk.context.emit({ type: 'log', level: 'error', path: disk.title, ...event });
}

/** The disk's metadata of a file, under rclone's names; `quietly` if it has none. Throws `SyncerError`. */
export async function readMetadata(
  disk: LocalDisk,
  native: string,
  quietly = false,
): Promise<Metadata> {
  const attributes = await attributesOf(disk, quietly);
  const follow = disk.settings.links === 'follow';
  try {
    const path = follow ? nameFromBytes(fs.realpathSync.native(fsPath(native), 'buffer')) : native;
    const stats = fs.lstatSync(fsPath(path), { bigint: true });
    // A link has none, and a disk that says so would count as one without any.
    const isPlain = attributes === undefined || stats.isSymbolicLink();
    return {
      ...(isPlain ? {} : userMetadata(disk, attributes, path, quietly)),
      // Without `rdev`, which only devices have: these are no files.
      mode: stats.mode.toString(8),
      uid: String(stats.uid),
      gid: String(stats.gid),
      atime: formatRfc3339Nano(stats.atimeNs),
      mtime: formatRfc3339Nano(stats.mtimeNs),
      btime: formatRfc3339Nano(stats.birthtimeNs),
    };
  } catch (thrown) {
    throw fsError(thrown, 'read metadata of', native);
  }
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
    const { EACCES, EPERM } = constants.errno;
    const code = [EACCES, EPERM].includes(thrown.errno) ? 'access-denied' : 'other';
    const message = `${what} of ${showPath(path)}: ${thrown.message}`;
    throw new SyncerError(code, message, { path, cause: thrown });
  }
}

interface NewFile {
  /** Its temporary path. */
  readonly native: string;
  /** Its final path, for messages. */
  readonly target: string;
  /** As the user knows it. */
  readonly path: string;
  /** It is a directory, which keeps what the metadata do not say. */
  readonly isDir?: boolean;
  /** It gets back what it had: its special bits, too, whatever the configuration says. */
  readonly isRestored?: boolean;
}

/** Sets metadata and time, if any, of a new file as far as possible; resolves to all failures as one. */
export async function writeMetadata(
  disk: LocalDisk,
  file: NewFile,
  metadata: Metadata,
  modTime: ModTime | undefined,
): Promise<SyncerError | undefined> {
  const withSpecialBits = file.isRestored === true || disk.settings.restoresSpecialBits;
  const { owner, mode, ...plan } = planMetadata(metadata, withSpecialBits);
  const path = fsPath(file.native);
  for (const key of plan.senseless) {
    const event = { code: 'metadata-unreadable', fields: { key, value: metadata[key] } } as const;
    disk.context.emit({ type: 'log', level: 'notice', path: file.path, ...event });
  }
  const isDir = file.isDir === true;
  const isLink = !isDir && disk.isLink(file.path);
  const replaced =
    isLink || isDir ? undefined : replacedFile(file.target, disk.settings.links === 'translate');
  const failures: SyncerError[] = [];
  const attempt = (what: string, call: string, work: () => void) => {
    try {
      work();
    } catch (thrown) {
      const { message } = fsError(thrown, call, file.target);
      failures.push(failed(`failed to ${what}: ${message}`, thrown));
    }
  };
  // Writers of the file may set attributes, only its owner the rest: these come last. Linux refuses them on a link.
  if (!isLink) await setAttributes(disk, file, plan.attributes, failures);
  attempt('change permissions', 'chmod', () => {
    const plain = mode === undefined ? undefined : mode & 0o777;
    const wanted = plain ?? (isDir ? undefined : (replaced?.mode ?? disk.fileMode));
    if (isLink || wanted === undefined || (isDir && modeOf(path) === mode)) return;
    fs.chmodSync(path, wanted);
  });
  const setTimes = await disk.setTimes();
  attempt('set times', 'chtimes', () => {
    if (modTime === undefined && plan.accessTime === undefined) return;
    const time = modTime ?? fs.lstatSync(path, { bigint: true }).mtimeNs;
    setTimes(file.native, time, plan.accessTime);
  });
  const before = failures.length;
  attempt('change ownership', 'chown', () => {
    if (owner !== undefined) fs.lchownSync(path, owner.uid, owner.gid);
    else if (replaced !== undefined) giveTo(file.native, replaced);
  });
  // Only now: a change of the owner clears these bits, and no other owner may have them in between.
  if (mode !== undefined && mode > 0o777 && !isLink && failures.length === before) {
    attempt('change permissions', 'chmod', () => {
      if (!isDir || modeOf(path) !== mode) fs.chmodSync(path, mode);
    });
  }
  if (failures.length === 0) return undefined;
  const texts = failures.map(({ message }) => message).join('; ');
  return failed(`failed to set metadata: ${texts}`, failures[0], {
    path: file.path,
    advice: 'run as a user who may set it, or copy without --metadata',
  });
}

/** All bits of a mode. */
const modeOf = (path: string | Buffer): number => fs.lstatSync(path).mode & 0o7777;

async function setAttributes(
  disk: LocalDisk,
  { native, target }: NewFile,
  wanted: readonly (readonly [name: string, value: string])[],
  failures: SyncerError[],
): Promise<void> {
  if (wanted.length === 0) return;
  const attributes = await attributesOf(disk);
  if (attributes === undefined) return;
  for (const [name, value] of wanted) {
    try {
      attributes.set(native, name, nameToBytes(value));
    } catch (thrown) {
      if (!(thrown instanceof AttributeError)) throw thrown;
      if (thrown.isUnsupported) {
        return refuseAttributes(disk, `${thrown.message}: ${showPath(target)} ${name}`);
      }
      const message = `failed to set xattr key "${name}" of ${showPath(target)}: ${thrown.message}`;
      failures.push(failed(message, thrown));
    }
  }
}

function failed(message: string, cause: unknown, more: ErrorDetails = {}): SyncerError {
  return new SyncerError('metadata', message, { ...more, cause });
}
