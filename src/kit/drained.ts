import type { Writable } from 'node:stream';

/** Resolves when a stream takes more again, or has ended. */
export function drained(stream: Pick<Writable, 'on' | 'off' | 'destroyed'>): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stream.off('drain', done);
      stream.off('close', done);
      resolve();
    };
    stream.on('drain', done);
    stream.on('close', done);
    if (stream.destroyed) done();
  });
}
