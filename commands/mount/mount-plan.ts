import { SyncerError } from '../../src/core/errors.ts';
import type { Entry } from '../../src/core/remote.ts';
import { isMountOption, type MountRequest } from '../../src/fuse/device/mounting.ts';
import type { SessionSettings } from '../../src/fuse/session/session.ts';
import { flagSetOf } from '../../src/shell/command-line/flag-set.ts';
import { refuseExcluded } from '../../src/shell/flags/exclusions.ts';
import type { FlagsWith } from '../../src/shell/flags/flag-table.ts';
import { shownText } from '../../src/shell/log/shown-words.ts';
import type { VfsOptions } from '../../src/vfs/vfs-parts.ts';
import { MOUNT_EXCLUSIONS, MOUNT_FLAGS } from './flags.ts';
import { optionWords } from './option-words.ts';

/** How to mount, and how to serve the mount. */
export interface MountPlan {
  readonly request: Omit<MountRequest, 'mountPoint'>;
  readonly session: SessionSettings;
}

/** `-o` options with a flag or a field of their own. */
interface Options {
  fsname?: string;
  subtype?: string;
  nonEmpty?: boolean;
  allowRoot?: boolean;
  readonly mount: string[];
}

const MOUNT = { name: 'mount', flags: MOUNT_FLAGS, exclusions: MOUNT_EXCLUSIONS };

/**
 * The plan for a mount of `source` (`remote:path`). Throws `usage` for invalid flags.
 *
 * @param uid of the user who mounts
 */
export function mountPlan(
  flags: FlagsWith<typeof MOUNT_FLAGS>,
  source: string,
  uid: number,
): MountPlan {
  const options = readOptions(flags['mount-option']);
  const allowRoot = flags['allow-root'] || options.allowRoot === true;
  // What is wrong with the flag is wrong with the option, too.
  if (allowRoot) refuseExcluded(MOUNT, { flags: { ...flags, 'allow-root': true } }, 'run');
  const limit = flags['daemon-timeout'];
  return {
    request: {
      // Every user of the machine sees it in /proc/mounts.
      source: shownText(options.fsname ?? flags.devname ?? flags.volname ?? source),
      subtype: options.subtype ?? 'syncer',
      allowOther: flags['allow-other'] || allowRoot,
      defaultPermissions: flags['default-permissions'] || flags['allow-idmap'],
      readOnly: flags['read-only'],
      allowNonEmpty: flags['allow-non-empty'] || options.nonEmpty === true,
      options: options.mount,
    },
    session: {
      maxReadAhead: Math.max(flags['max-read-ahead'], 0),
      writeBackCache: flags['write-back-cache'],
      asyncRead: flags['async-read'],
      allowIdmap: flags['allow-idmap'],
      attrTimeoutMs: Math.max(flags['attr-timeout'], 0),
      directIo: flags['direct-io'],
      requestLimitMs: limit === undefined || limit <= 0 ? undefined : limit,
      onlyUser: allowRoot ? uid : undefined,
      logsRequests: flags['debug-fuse'],
    },
  };
}

function readOptions(given: readonly string[]): Options {
  const options: Options = { mount: [] };
  for (const word of given.flatMap(optionWords)) {
    const [name = '', value = ''] = splitOption(word);
    if (isMountOption(word)) options.mount.push(word);
    else if (name === 'fsname') options.fsname = value;
    else if (name === 'subtype') options.subtype = value;
    else if (name === 'nonempty') options.nonEmpty = true;
    else if (name === 'allow_root') options.allowRoot = true;
    else throw unknownOption(name);
  }
  return options;
}

function splitOption(word: string): [name: string, value: string] {
  const equals = word.indexOf('=');
  return equals < 0 ? [word, ''] : [word.slice(0, equals), word.slice(equals + 1)];
}

function unknownOption(name: string): SyncerError {
  const flag = name.replaceAll('_', '-');
  const isFlag = flagSetOf([MOUNT], 'mount').byName.has(flag);
  const hint = isFlag ? `use the flag --${flag}` : 'for the flags see "syncer help mount"';
  return new SyncerError('usage', `unknown mount option -o ${name}; ${hint}`);
}

/** How many files are uploaded in parallel by default, as in rclone. */
const TRANSFERS = 4;

/** What the options depend on besides the flags. */
export interface VfsSurroundings {
  /** Absolute path of the directory for cached contents. */
  readonly cacheDir: string;
  readonly uid: number;
  readonly gid: number;
  readonly umask: number;
  readonly isShown: ((entry: Entry) => boolean) | undefined;
}

/** The options of the file system. Throws `usage` for an invalid flag. */
export function vfsOptionsOf(
  flags: FlagsWith<typeof MOUNT_FLAGS>,
  surroundings: VfsSurroundings,
): VfsOptions {
  const { cacheDir, isShown } = surroundings;
  const umask = flags.umask === undefined ? surroundings.umask : parseOctal('umask', flags.umask);
  return {
    cacheMode: flags['vfs-cache-mode'],
    cacheDir,
    cacheMaxSize: flags['vfs-cache-max-size'],
    cacheMinFree: flags['vfs-cache-min-free-space'],
    cacheMaxAge: orForEver(flags['vfs-cache-max-age']),
    cachePollInterval: orForEver(flags['vfs-cache-poll-interval']),
    writeBack: Math.max(flags['vfs-write-back'], 0),
    readChunkSize: Math.max(flags['vfs-read-chunk-size'], 0),
    readChunkSizeLimit: flags['vfs-read-chunk-size-limit'],
    readChunkStreams: Math.max(flags['vfs-read-chunk-streams'], 0),
    readAhead: Math.max(flags['vfs-read-ahead'], 0),
    readWait: Math.max(flags['vfs-read-wait'], 0),
    handleCaching: Math.max(flags['vfs-handle-caching'], 0),
    writeWait: Math.max(flags['vfs-write-wait'], 0),
    caseInsensitive: flags['vfs-case-insensitive'],
    fastFingerprint: flags['vfs-fast-fingerprint'],
    refresh: flags['vfs-refresh'],
    diskSpaceTotal: flags['vfs-disk-space-total-size'],
    usedIsSize: flags['vfs-used-is-size'],
    dirCacheTime: orForEver(flags['dir-cache-time']),
    pollInterval: Math.max(flags['poll-interval'], 0),
    readOnly: flags['read-only'],
    noModTime: flags['mount-no-modtime'],
    noChecksum: flags['no-checksum'],
    noSeek: flags['no-seek'],
    transfers: Math.max(flags.transfers ?? TRANSFERS, 1),
    lowLevelRetries: Math.max(flags['low-level-retries'], 1),
    bufferSize: Math.max(flags['mount-buffer-size'], 0),
    uid: idOf('uid', flags.uid) ?? surroundings.uid,
    gid: idOf('gid', flags.gid) ?? surroundings.gid,
    filePerms: parseOctal('file-perms', flags['file-perms']) & ~umask & 0o777,
    dirPerms: parseOctal('dir-perms', flags['dir-perms']) & ~umask & 0o777,
    linkPerms: parseOctal('link-perms', flags['link-perms']) & ~umask & 0o777,
    ...(isShown === undefined ? {} : { isShown }),
  };
}

/** The number of a user or a group: 32 bits without a sign, as in rclone. */
function idOf(flag: 'uid' | 'gid', id: number | undefined): number | undefined {
  if (id === undefined || (id >= 0 && id < 2 ** 32)) return id;
  throw new SyncerError('usage', `--${flag} ${id}: must be a number from 0 to ${2 ** 32 - 1}`);
}

/** A duration of `off` means no limit. */
function orForEver(ms: number): number {
  return ms < 0 ? Number.POSITIVE_INFINITY : ms;
}

/** Permission bits from octal digits (`022`, `0755`, `0o644`). Throws `usage` for anything else. */
function parseOctal(flag: string, text: string): number {
  const digits = /^(?:0o)?([0-7]{1,4})$/i.exec(text)?.[1];
  if (digits !== undefined) return Number.parseInt(digits, 8);
  throw new SyncerError(
    'command-line',
    `--${flag} takes permissions in octal, such as 022, not "${text}"`,
  );
}
