import { flagSetOf } from '../app/command-line/flag-set.ts';
import type { Flags } from '../app/flags/flag-table.ts';
import { shownText } from '../app/log/shown-words.ts';
import { SyncerError } from '../core/errors.ts';
import { isMountOption, type MountRequest } from '../fuse/device/mount-flags.ts';
import type { SessionSettings } from '../fuse/session/session.ts';
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

/**
 * The plan for a mount of `source` (`remote:path`). Throws `usage` for invalid flags.
 *
 * @param uid of the user who mounts
 */
export function mountPlan(flags: Flags, source: string, uid: number): MountPlan {
  const options = readOptions(flags['mount-option']);
  const allowRoot = flags['allow-root'] || options.allowRoot === true;
  if (allowRoot && flags['allow-other']) {
    throw new SyncerError('usage', '--allow-root and --allow-other exclude each other');
  }
  const limit = flags['daemon-timeout'];
  return {
    request: {
      // Every user of the machine sees it in /proc/mounts.
      source: shownText(options.fsname ?? flags.devname ?? flags.volname ?? source),
      subtype: options.subtype ?? 'syncer',
      allowOther: flags['allow-other'] || allowRoot,
      defaultPermissions: flags['default-permissions'],
      readOnly: flags['read-only'],
      allowNonEmpty: flags['allow-non-empty'] || options.nonEmpty === true,
      options: options.mount,
    },
    session: {
      maxReadAhead: Math.max(flags['max-read-ahead'], 0),
      writeBackCache: flags['write-back-cache'],
      asyncRead: flags['async-read'],
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
  const isFlag = flagSetOf('mount').byName.has(flag);
  const hint = isFlag ? `use the flag --${flag}` : 'for the flags see "syncer help mount"';
  return new SyncerError('usage', `unknown mount option -o ${name}; ${hint}`);
}
