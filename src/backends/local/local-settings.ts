import { resolve } from 'node:path';
import { SyncerError } from '../../core/errors.ts';
import { HASH_NAMES, type HashName } from '../../core/hash-names.ts';
import { fromStandardPath, parseEncoding } from '../../names/name-encoding.ts';
import type { OpenParams } from '../backend.ts';
import { TIME_TYPES, wrongTimeType } from './time-type.ts';

/** The options of a local remote, parsed. */
export type LocalSettings = Readonly<ReturnType<typeof localSettings>>;

/** Reads the options. Throws `config` for an invalid value. */
export function localSettings({
  name,
  root,
  options,
}: Pick<OpenParams, 'name' | 'root' | 'options'>) {
  // As Go's `strconv.ParseBool`, which rclone uses; an empty value is invalid.
  const isSet = (option: string) => {
    const text = options[option] ?? '';
    if (/^(?:1|t|true)$/i.test(text)) return true;
    if (/^(?:0|f|false|)$/i.test(text)) return false;
    throw new SyncerError('config', `local: ${option} must be true or false, not "${text}"`);
  };
  const follows = isSet('copy_links');
  const translates = isSet('links');
  if (follows && translates) {
    throw new SyncerError('config', "can't use -l/--links with -L/--copy-links");
  }
  const foldsCase = process.platform === 'darwin' || process.platform === 'win32' || undefined;
  const encoding = parseEncoding(options['encoding'] ?? 'Slash,Dot');
  // As listings show such names (`a␊b`), in the names of the disk. `.` and `..` keep their meaning.
  const segments = root
    .split('/')
    .map((name) => (/^\.\.?$/.test(name) ? name : fromStandardPath(encoding, name)));
  // Links are followed, shown as text files `name.rclonelink` that hold the target, skipped, or skipped and reported.
  let links: 'follow' | 'translate' | 'skip' | 'warn' = 'follow';
  if (!follows && translates) links = 'translate';
  else if (!follows) links = isSet('skip_links') ? 'skip' : 'warn';
  const { time_type: typed = '', hashes = '' } = options;
  const timeType = TIME_TYPES.find((type) => type === (typed.toLowerCase() || 'mtime'));
  if (timeType === undefined) {
    throw new SyncerError('config', `local: time_type ${wrongTimeType(typed)}`);
  }
  return {
    name,
    /** Absolute, in the form of the operating system. */
    root: resolve(root === '' ? '.' : segments.join('/')),
    links,
    oneFileSystem: isSet('one_file_system'),
    /** Names that differ only in case are one name; `undefined`: the disk shows it. */
    caseInsensitive: isSet('case_sensitive') ? false : isSet('case_insensitive') || foldsCase,
    /** A file that changes while it is read is an error. */
    checkUpdated: !isSet('no_check_updated'),
    setModTime: !isSet('no_set_modtime'),
    normalizeUnicode: isSet('unicode_normalization'),
    /** Pipes, sockets and devices are skipped without a notice. */
    skipSpecials: isSet('skip_specials'),
    timeType,
    /** The hashes that files have. */
    hashes: hashNames(hashes),
    /** A full disk ends the run with exit code 7. */
    isFullFatal: isSet('fatal_if_no_space'),
    /** Metadata restore the set-user-ID, set-group-ID and sticky bits. */
    restoresSpecialBits: isSet('metadata_restore_special_bits'),
    encoding,
    /** The smallest file that is written in several parts in parallel, in bytes: rclone's `--multi-thread-cutoff`. */
    partsFrom: 250 * 1024 * 1024,
    parts: 4,
  };
}

/** All by default; `none` for none. */
function hashNames(text: string): readonly HashName[] {
  if (text === '') return HASH_NAMES;
  if (text.trim().toLowerCase() === 'none') return [];
  return text.split(',').map((part) => {
    const wanted = part.trim().toLowerCase();
    const found = HASH_NAMES.find((name) => name === wanted);
    if (found !== undefined) return found;
    const known = HASH_NAMES.join(', ');
    throw new SyncerError('config', `local: unknown hash "${part}" in hashes (known are ${known})`);
  });
}
