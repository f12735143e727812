import { Readable } from 'node:stream';
import { alike, around } from '../../src/core/around.ts';
import { bodyChunks } from '../../src/core/body.ts';
import { membersOf } from '../../src/core/members.ts';
import type { Body, Op, Remote } from '../../src/core/remote.ts';
import type { Bandwidth, Route } from '../../src/engine/run.ts';

/** The remote of a mount, whose content is read and written within `--bwlimit`, each request within `--bwlimit-file`. */
export function withBandwidth(remote: Remote, bandwidth: Bandwidth): Remote {
  const isFar = !remote.traits.onDisk;
  const limited = async (body: Body, route: Route, { signal }: Op): Promise<Body> => {
    const throttle = bandwidth.ofFile?.() ?? bandwidth;
    if (Buffer.isBuffer(body)) {
      await throttle.take(body.length, route, signal);
      return body;
    }
    const chunks = async function* () {
      for await (const chunk of bodyChunks(body, signal)) {
        await throttle.take(chunk.length, route, signal);
        yield chunk;
      }
    };
    // Bytes that were read ahead have passed the limit already.
    return Readable.from(chunks(), { objectMode: true, highWaterMark: 1 });
  };
  return around(remote, 'bandwidth', {
    ...alike(membersOf(), 'passes'),
    read: (read) => async (file, range, op) =>
      limited(await read(file, range, op), { up: false, down: isFar }, op),
    write: (write) => (source, op) => {
      const open: typeof source.open = async (range, reading) => {
        const isThere = range?.isStored === true || range?.isCopied === true;
        const body = await source.open(range, reading);
        return limited(body, { up: isFar && !isThere, down: false }, reading);
      };
      return write({ ...source, open }, op);
    },
  });
}
