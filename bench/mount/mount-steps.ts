import { join } from 'node:path';

/** Something done on a mount and measured. */
export interface MountStep {
  readonly name: string;
  /** The command, from the mount point, a folder of the disk and a number that no other run has. */
  readonly command: (mount: string, disk: string, run: number) => readonly string[];
}

/** What is done on each mount, in this order: the first reads find nothing cached. */
export const MOUNT_STEPS: readonly MountStep[] = [
  {
    name: 'read 256 MiB',
    command: (mount) => ['dd', `if=${join(mount, 'large/large.bin')}`, 'of=/dev/null', 'bs=1M'],
  },
  {
    name: 'write 256 MiB, with fsync',
    command: (mount, disk, run) => [
      ...['dd', `if=${join(disk, 'large-256/large.bin')}`, `of=${join(mount, `out-${run}`)}`],
      ...['bs=1M', 'conv=fsync'],
    ],
  },
  { name: 'find, 10,000 files', command: (mount) => ['find', join(mount, 'small')] },
  {
    name: 'the same again',
    command: (mount) => ['find', join(mount, 'small')],
  },
  {
    name: 'find with times, 10,000 files',
    command: (mount) => ['find', join(mount, 'small'), '-newermt', '2000-01-01'],
  },
  {
    name: 'create 300 files',
    command: (mount, _, run) => [
      ...['sh', '-c'],
      'mkdir "$1" && for i in $(seq 300); do echo x > "$1/$i" || exit 1; done',
      ...['sh', join(mount, `new-${run}`)],
    ],
  },
];
