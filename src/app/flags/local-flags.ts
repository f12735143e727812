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
    help: "Copy symbolic links as files that hold their target, named '.rclonelink'",
    group: 'local',
  },
  'skip-links': {
    type: 'bool',
    help: 'Do not tell of symbolic links that are skipped',
    group: 'local',
  },
  'one-file-system': {
    short: 'x',
    type: 'bool',
    help: 'Do not go into other file systems that are mounted below',
    group: 'local',
  },
} as const satisfies Record<string, FlagDefinition>;
