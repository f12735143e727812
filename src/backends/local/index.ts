import { advanced, type BackendOption, flag, ignoredFlag } from '../../core/options.ts';
import { wrongEncoding } from '../../names/name-encoding.ts';
import type { Backend } from '../backend.ts';
import { wrongTimeType } from './time-type.ts';

const LOCAL_OPTIONS: readonly BackendOption[] = [
  flag('copy_links', 'Follow symlinks and copy the pointed to item.'),
  flag('links', "Translate symlinks to/from regular files with a '.rclonelink' extension."),
  flag('skip_links', "Don't warn about skipped symlinks."),
  flag('one_file_system', "Don't cross filesystem boundaries."),
  flag('case_sensitive', 'Force the filesystem to report itself as case sensitive.'),
  flag('case_insensitive', 'Force the filesystem to report itself as case insensitive.'),
  flag('no_check_updated', "Don't check to see if the files change during upload."),
  flag('no_set_modtime', 'Disable setting modtime.'),
  flag('skip_specials', "Don't warn about skipped pipes, sockets and device objects."),
  advanced(
    'time_type',
    'string',
    'Set what kind of time is returned; setting a time always sets mtime.',
    {
      default: 'mtime',
      check: wrongTimeType,
      examples: [
        { value: 'mtime', help: 'The last modification time.' },
        { value: 'atime', help: 'The last access time.' },
        { value: 'btime', help: 'The creation time.' },
        { value: 'ctime', help: 'The last status change time.' },
      ],
    },
  ),
  advanced('hashes', 'list', 'Comma separated list of supported checksum types.', { default: '' }),
  flag('fatal_if_no_space', 'Treat no space left errors as fatal.'),
  flag(
    'metadata_restore_special_bits',
    'Restore the setuid, setgid and sticky bits from metadata. Use only with sources that you trust.',
  ),
  flag('unicode_normalization', 'Apply unicode NFC normalization to paths and filenames.'),
  advanced('encoding', 'string', 'The encoding for the backend.', {
    default: 'Slash,Dot',
    check: wrongEncoding,
  }),
  ignoredFlag('nounc', 'there are no UNC paths.'),
  ignoredFlag('zero_size_links', 'links are read whatever their size.'),
  ignoredFlag('no_preallocate', 'no space is allocated beforehand.'),
  ignoredFlag('no_sparse', 'files are written without holes.'),
  ignoredFlag('no_clone', 'copies are equal whether blocks are shared or not.'),
];

/** Files of this machine: the meaning of a path without a remote's name. */
export const local: Backend = {
  type: 'local',
  group: 'This computer',
  summary: 'Local Disk.',
  options: LOCAL_OPTIONS,
  load: () => import('./local-remote.ts'),
};
