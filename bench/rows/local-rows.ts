import type { Row } from './row.ts';

const copied = (name: string, source: string): Row => ({
  name,
  prepare: async (place) => {
    await place.empty('out');
    await place.makeSource(source);
  },
  args: ({ root }) => ['copy', `${root}/${source}`, `${root}/out`],
  others: {
    rsync: ({ root }) => ['-a', `${root}/${source}/`, `${root}/out/`],
    cp: ({ root }) => ['-a', `${root}/${source}/.`, `${root}/out/`],
  },
});

const hashed = (name: string, source: string): Row => ({
  name,
  prepare: (place) => place.makeSource(source),
  args: ({ root }) => ['md5sum', `${root}/${source}`],
});

/** Start-up, and what is done on a disk alone. */
export const LOCAL_ROWS: readonly Row[] = [
  { name: 'start-up (version)', repeat: 20, args: () => ['version'] },
  copied('local to local, 10,000 × 4 KB', 'small-10000'),
  copied('local to local, 100,000 × 4 KB', 'small-100000'),
  {
    ...copied('local to local, 10,000 equal files', 'small-10000'),
    prepare: (place) => place.fill('out', 'small-10000'),
  },
  copied('local to local, one file of 2 GB', 'large-2048'),
  {
    name: 'ncdu --output, 200,000 local files',
    prepare: (place) => place.makeSource('tree-200000'),
    args: ({ root }) => ['ncdu', `${root}/tree-200000`, '--output', `${root}/scan`],
    without: ['rclone'],
    others: {
      gdu: ({ root }) => ['-n', '-o', `${root}/scan`, `${root}/tree-200000`],
      ncdu: ({ root }) => ['-0', '-o', `${root}/scan`, `${root}/tree-200000`],
    },
  },
  hashed('md5sum, 400 local files of 2 MB', 'medium-400'),
  hashed('md5sum, 10,000 local files of 4 KB', 'small-10000'),
  hashed('md5sum, one local file of 1 GB', 'large-1024'),
];
