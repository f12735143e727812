import fs from 'node:fs';
import type { OutputStream } from './output.ts';

/** How long to wait before a pipe that somebody has made non-blocking is tried again, in milliseconds. */
const FULL_MS = 5;

/**
 * Standard output where it is a pipe or a file, written in a thread of libuv's, so that a slow reader holds up nothing
 * else; `undefined` for terminals and whatever else, which Node's own stream knows how to treat. That stream writes to
 * pipes and files in the main thread.
 */
export function descriptorOutput(fd: number): OutputStream | undefined {
  try {
    const stats = fs.fstatSync(fd);
    if (!stats.isFIFO() && !stats.isFile()) return undefined;
  } catch {
    // It is closed.
    return undefined;
  }
  const listeners: ((error: Error) => void)[] = [];
  let last: Promise<unknown> = Promise.resolve();
  return {
    write(chunk, done) {
      last = last.then(async () => {
        const error = await writeWhole(fd, chunk);
        if (error !== undefined) for (const listener of listeners) listener(error);
        done(error);
      });
      return true;
    },
    on(_event, listener) {
      listeners.push(listener);
    },
  };
}

function writeWhole(fd: number, chunk: Uint8Array): Promise<Error | undefined> {
  return new Promise((resolve) => {
    const writeFrom = (at: number) => {
      if (at === chunk.length) return resolve(undefined);
      fs.write(fd, chunk, at, chunk.length - at, null, (error, bytes) => {
        if (error?.code === 'EAGAIN') setTimeout(writeFrom, FULL_MS, at);
        else if (error !== null) resolve(error);
        else writeFrom(at + bytes);
      });
    };
    writeFrom(0);
  });
}
