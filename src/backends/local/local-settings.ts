import { resolve } from 'node:path';
import { SyncerError } from '../../core/errors.ts';
import { fromStandardPath, type NameEncoding, parseEncoding } from '../../kit/name-encoding.ts';
import type { OpenParams } from '../backend.ts';

/** The treatment of symbolic links. */
export type LinkPolicy =
  /** Skip and report them. */
  | 'warn'
  /** Skip them. */
  | 'skip'
  /** Take their targets. */
  | 'follow'
  /** Show them as text files `name.rclonelink` that hold the target. */
  | 'translate';

/** The end of a translated symbolic link's name. */
export const LINK_SUFFIX = '.rclonelink';

/** The options of a local remote, parsed. */
export interface LocalSettings {
  readonly name: string;
  /** Absolute, in the form of the operating system. */
  readonly root: string;
  readonly links: LinkPolicy;
  readonly oneFileSystem: boolean;
  readonly caseInsensitive: boolean;
  /** A file that changes while it is read is an error. */
  readonly checkUpdated: boolean;
  readonly setModTime: boolean;
  readonly normalizeUnicode: boolean;
  readonly encoding: NameEncoding;
  /** The smallest file that is written in several parts in parallel, in bytes. */
  readonly partsFrom: number;
  readonly parts: number;
}

/** rclone's `--multi-thread-cutoff`. */
const PARTS_FROM = 250 * 1024 * 1024;

/** Reads the options. Throws `config` for an invalid value. */
export function localSettings({
  name,
  root,
  options,
}: Pick<OpenParams, 'name' | 'root' | 'options'>): LocalSettings {
  const isSet = (option: string) => readBool(option, options[option]);
  if (isSet('copy_links') && isSet('links')) {
    throw new SyncerError('config', "can't use -l/--links with -L/--copy-links");
  }
  const foldsCase = process.platform === 'darwin' || process.platform === 'win32';
  const encoding = parseEncoding(options['encoding'] ?? 'Slash,Dot');
  return {
    name,
    root: resolve(nativeRoot(root, encoding)),
    links: linkPolicy(isSet),
    oneFileSystem: isSet('one_file_system'),
    caseInsensitive: isSet('case_sensitive') ? false : isSet('case_insensitive') || foldsCase,
    checkUpdated: !isSet('no_check_updated'),
    setModTime: !isSet('no_set_modtime'),
    normalizeUnicode: isSet('unicode_normalization'),
    encoding,
    partsFrom: PARTS_FROM,
    parts: 4,
  };
}

/** The root as listings show such names (`a␊b`), in the names of the disk. `.` and `..` keep their meaning. */
function nativeRoot(root: string, encoding: NameEncoding): string {
  if (root === '') return '.';
  const segments = root.split('/');
  const isDots = (name: string) => name === '.' || name === '..';
  return segments.map((name) => (isDots(name) ? name : fromStandardPath(encoding, name))).join('/');
}

function linkPolicy(isSet: (option: string) => boolean): LinkPolicy {
  if (isSet('copy_links')) return 'follow';
  if (isSet('links')) return 'translate';
  return isSet('skip_links') ? 'skip' : 'warn';
}

/** As Go's `strconv.ParseBool`, which rclone uses; an empty value is invalid. */
function readBool(name: string, text = ''): boolean {
  if (/^(?:1|t|true)$/i.test(text)) return true;
  if (/^(?:0|f|false|)$/i.test(text)) return false;
  throw new SyncerError('config', `local: ${name} must be true or false, not "${text}"`);
}
