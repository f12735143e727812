import { bool, groupFlags } from '../../core/flags.ts';

/** Flags for local disks. */
export const LOCAL_FLAGS = groupFlags('local', {
  'copy-links': bool('Follow symbolic links', { short: 'L' }),
  links: bool(
    "Copy symbolic links as files with the suffix '.rclonelink' that contain the target",
    { short: 'l' },
  ),
  'skip-links': bool('Do not report skipped symbolic links'),
  'skip-specials': bool('Do not report skipped pipes, sockets and devices'),
  'one-file-system': bool('Do not cross file system boundaries', { short: 'x' }),
});
