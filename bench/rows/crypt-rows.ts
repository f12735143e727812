import type { Row } from './row.ts';

const uploaded = (name: string, source: string): Row => ({
  name,
  prepare: async (place) => {
    await place.makeSource(source);
    await place.emptyCrypt();
  },
  args: ({ root }) => ['copy', `${root}/${source}`, 'crypt:'],
});

const downloaded = (name: string, source: string): Row => ({
  name,
  prepare: async (place) => {
    await place.fillCrypt(source);
    await place.empty('out');
  },
  args: ({ root }) => ['copy', 'crypt:', `${root}/out`],
});

/** An encrypted remote on a disk, which syncer opens through rclone: no network hides what that costs. */
export const CRYPT_ROWS: readonly Row[] = [
  {
    name: 'crypt, listing of 10,000',
    prepare: (place) => place.fillCrypt('small-10000'),
    args: () => ['lsl', 'crypt:'],
  },
  uploaded('crypt, upload of 1,000 × 4 KB', 'small-1000'),
  downloaded('crypt, download of 1,000 × 4 KB', 'small-1000'),
  uploaded('crypt, upload of one file of 1 GB', 'large-1024'),
  downloaded('crypt, download of one file of 1 GB', 'large-1024'),
];
