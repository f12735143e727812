import type { Row } from './row.ts';

const local = (name: string, source: (root: string) => string): Row => ({
  name,
  onS3: false,
  prepare: async (place) => {
    await place.empty('out');
    await place.makeSource(source('').slice(1));
  },
  args: ({ root }) => ['copy', source(root), `${root}/out`],
});

/** Start-up, and copies from disk to disk. */
export const LOCAL_ROWS: readonly Row[] = [
  { name: 'start-up (version)', onS3: false, repeat: 20, args: () => ['version'] },
  local('local to local, 10,000 × 4 KB', (root) => `${root}/small-10000`),
  local('local to local, 100,000 × 4 KB', (root) => `${root}/small-100000`),
  local('local to local, one file of 2 GB', (root) => `${root}/large-2048`),
  {
    name: 'md5sum, 400 local files of 2 MB',
    onS3: false,
    prepare: (place) => place.makeSource('medium-400'),
    args: ({ root }) => ['md5sum', `${root}/medium-400`],
  },
];
