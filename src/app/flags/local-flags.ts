import type { FlagDefinition } from './flag-definition.ts';

/** Flags about local disks. */
export const LOCAL_FLAGS = {
  'copy-links': {
    short: 'L',
    type: 'bool',
    help: 'Follow symbolic links',
    group: 'local',
  },
  links: {
    short: 'l',
    type: 'bool',
    help: "Copy symbolic links as files with the suffix '.rclonelink' that contain the target",
    group: 'local',
  },
  'skip-links': {
    type: 'bool',
    help: 'Do not report skipped symbolic links',
    group: 'local',
  },
  'one-file-system': {
    short: 'x',
    type: 'bool',
    help: 'Do not cross file system boundaries',
    group: 'local',
  },
} as const satisfies Record<string, FlagDefinition>;
