import type { BackendOption } from '../../core/options.ts';

const flag = (name: string, help: string): BackendOption => ({
  name,
  type: 'bool',
  help,
  default: 'false',
  advanced: true,
});

/**
 * The options of the local backend, with the names rclone gives them. Those of rclone's that have nothing to act
 * on here are left out: `nounc` (Windows), `zero_size_links`, `no_preallocate` and `no_sparse` (nothing is
 * preallocated).
 */
export const LOCAL_OPTIONS: readonly BackendOption[] = [
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
];
