import { groupFlags } from './flag-definition.ts';

/** Flags for local disks. */
export const LOCAL_FLAGS = groupFlags('local', {
  'copy-links': { short: 'L', type: 'bool', help: 'Follow symbolic links' },
  links: {
    short: 'l',
    type: 'bool',
    help: "Copy symbolic links as files with the suffix '.rclonelink' that contain the target",
  },
  'skip-links': { type: 'bool', help: 'Do not report skipped symbolic links' },
  'skip-specials': {
    type: 'bool',
    help: 'Do not report skipped pipes, sockets and devices',
  },
  'one-file-system': { short: 'x', type: 'bool', help: 'Do not cross file system boundaries' },
});
