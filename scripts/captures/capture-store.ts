import { mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startS3Server } from '../../src/serve/s3/s3-server.ts';

/** When the captures are taken, in milliseconds since the epoch. */
export const START_MS = Date.UTC(2026, 10, 20, 9, 30);

/** An S3 server with a bucket of photos, which all captures share. */
export interface CaptureStore {
  readonly port: number;
  /** A directory for what programs need not compile again. */
  readonly cache: string;
  remove(): Promise<void>;
}

/** The photos that `photos/raw` holds, with their sizes in bytes. */
export const RAW_PHOTOS: ReadonlyMap<string, number> = new Map(
  Array.from({ length: 12 }, (_, at) => [
    `DSC_0${412 + at}.jpg`,
    (6 + ((at * 5) % 7)) * 512 * 1024,
  ]),
);

/** Files of the bucket, with sizes in bytes. They hold nothing but holes. */
const PHOTOS: Readonly<Record<string, number>> = {
  '2023/lisbon/tram.jpg': 6_188_920,
  '2023/lisbon/harbour.jpg': 5_911_304,
  '2024/iceland/geysir.jpg': 4_812_331,
  '2024/iceland/glacier.jpg': 5_201_776,
  '2024/iceland/waterfall.mp4': 15_634_816,
  '2024/winter/snow.jpg': 3_998_104,
  '2025/市場.jpg': 6_100_221,
  '2025/birthday/cake.jpg': 2_733_100,
  '2025/birthday/film.mov': 36_468_992,
  'scans/negatives-01.tif': 8_350_080,
  'scans/negatives-02.tif': 7_825_792,
  'index.html': 18_220,
  ...Object.fromEntries([...RAW_PHOTOS].map(([name, size]) => [`raw/${name}`, size])),
};

/** Starts one. */
export async function startCaptureStore(): Promise<CaptureStore> {
  const directory = await mkdtemp(join(tmpdir(), 'syncer-photos-'));
  const root = join(directory, 'buckets');
  for (const [path, size] of Object.entries(PHOTOS)) {
    const file = join(root, 'photos', path);
    await mkdir(dirname(file), { recursive: true });
    const handle = await open(file, 'w');
    await handle.truncate(size);
    await handle.utimes(START_MS / 1000 - 86_400, START_MS / 1000 - 86_400);
    await handle.close();
  }
  const server = await startS3Server({
    root,
    port: 0,
    authKeys: [{ accessKeyId: 'my-key', secretAccessKey: 'my-secret' }],
    now: () => START_MS,
  });
  return {
    port: server.port,
    cache: join(directory, 'cache'),
    async remove() {
      await server.close();
      await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
