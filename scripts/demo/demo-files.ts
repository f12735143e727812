import { createHash } from 'node:crypto';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const KIB = 1024;
const MIB = 1024 * KIB;

/** Path and size in bytes of every file of the demo's folder. */
const FILES: readonly (readonly [path: string, size: number])[] = [
  ['read me.txt', 1_200],
  ['an empty file', 0],
  ['video/harbour.mp4', 9 * MIB],
  ['video/street.mp4', 3 * MIB],
  ['music/side a/01 prelude.ogg', 2 * MIB],
  ['music/side a/02 waltz.ogg', 700 * KIB],
  ['music/side b/01 nocturne.ogg', 650 * KIB],
  ['papers/2024/q1/report.pdf', 90 * KIB],
  ['papers/2024/q2/report.pdf', 64 * KIB],
  ['papers/2025/q1/report.pdf', 70 * KIB],
  ['papers/2025/q1/figures/a.svg', 4_096],
  ['papers/2025/q1/figures/b.svg', 5_000],
  ['odd names/100% sure?.txt', 300],
  ['odd names/a+b & c=d.txt', 301],
  ['odd names/#hash; semi.txt', 302],
  ['odd names/it\'s "quoted".txt', 303],
  ['odd names/-starts with a dash', 304],
  ['odd names/größe.txt', 305],
  ['odd names/写真.txt', 306],
  ['odd names/🚢.txt', 307],
  ['odd names/deep/er/and/deeper/bottom.txt', 308],
  ...Array.from(
    { length: 15 },
    (_, i) => [`photos/img_${String(i + 1).padStart(4, '0')}.jpg`, (40 + 23 * i) * KIB] as const,
  ),
];

/** What the demo changes between two runs. */
export const CHANGED_FILE = 'read me.txt';

/** What the demo deletes between two runs. */
export const DELETED_FILE = 'photos/img_0007.jpg';

/**
 * Fills `folder` with the demo's files, each with its own content and a time in the past year.
 *
 * @returns how many files there are, and their bytes together
 */
export async function writeDemoFiles(folder: string): Promise<{ files: number; bytes: number }> {
  for (const [index, [path, size]] of FILES.entries()) {
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, contentOf(path, size));
    const time = Date.now() / 1000 - (index + 1) * 7 * 24 * 3600;
    await utimes(target, time, time);
  }
  return { files: FILES.length, bytes: FILES.reduce((sum, [, size]) => sum + size, 0) };
}

function contentOf(path: string, size: number): Buffer {
  const block = createHash('sha512').update(path).digest('hex');
  return Buffer.alloc(size, `${path}\n${block}\n`);
}
