import { readFileSync, statSync } from 'node:fs';

/** The process that locks a SQLite database, from the locks of this machine; `undefined` if they do not show it. */
export function writerOf(path: string): number | undefined {
  try {
    const inodes = ['', '-shm'].flatMap(
      (end) => statSync(path + end, { throwIfNoEntry: false })?.ino ?? [],
    );
    const lines = readFileSync('/proc/locks', 'utf8').split('\n');
    const found = lines
      .map((line) => / WRITE +(\d+) [0-9a-f]+:[0-9a-f]+:(\d+) /.exec(line))
      .find((line) => inodes.includes(Number(line?.[2])) && Number(line?.[1]) !== process.pid);
    return Number(found?.[1]) || undefined;
  } catch {
    return undefined;
  }
}
