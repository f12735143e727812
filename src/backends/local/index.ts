import { type BackendOption, flag, ignoredFlag } from '../../core/options.ts';
import type { Backend } from '../backend.ts';

const LOCAL_OPTIONS: readonly BackendOption[] = [
  flag('copy_links', 'Follow symlinks and copy the pointed to item.'),
  flag('links', "Translate symlinks to/from regular files with a '.rclonelink' extension."),
  flag('skip_links', "Don't warn about skipped symlinks."),
  flag('one_file_system', "Don't cross filesystem boundaries."),
  flag('case_sensitive', 'Force the filesystem to report itself as case sensitive.'),
  flag('case_insensitive', 'Force the filesystem to report itself as case insensitive.'),
  flag('no_check_updated', "Don't check to see if the files change during upload."),
  flag('no_set_modtime', 'Disable setting modtime.'),
  flag('unicode_normalization', 'Apply unicode NFC normalization to paths and filenames.'),
  {
    name: 'encoding',
    type: 'string',
    help: 'The encoding for the backend.',
    default: 'Slash,Dot',
    advanced: true,
  },
  ignoredFlag('nounc', 'there are no UNC paths.'),
  ignoredFlag('zero_size_links', 'links are read whatever their size.'),
  ignoredFlag('no_preallocate', 'no space is allocated beforehand.'),
  ignoredFlag('no_sparse', 'files are written without holes.'),
];

/** Files of this machine: the meaning of a path without a remote's name. */
export const local: Backend = {
  type: 'local',
  summary: 'Local Disk.',
  options: LOCAL_OPTIONS,
  load: () => import('./local-remote.ts'),
};
