import fs from 'node:fs';
import type { OutputStream } from './output.ts';

/**
 * Standard output to a pipe or a file, written in libuv's threads, so that a slow reader blocks nothing else; Node's
 * own stream writes to these in the main thread. `undefined` for terminals and others.
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
        // A non-blocking pipe that is full.
        if (error?.code === 'EAGAIN') setTimeout(writeFrom, 5, at);
        else if (error !== null) resolve(error);
        else writeFrom(at + bytes);
      });
    };
    writeFrom(0);
  });
}
