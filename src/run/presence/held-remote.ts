import { Readable } from 'node:stream';
import { around } from '../../core/around.ts';
import { bodyChunks } from '../../core/body.ts';
import type { Body, Capabilities, Op, Remote, WriteSource } from '../../core/remote.ts';
import type { RemoteLease } from './remote-lease.ts';

/** Each chunk is checked before it is asked for again. */
const CHUNK_BY_CHUNK = { objectMode: true, highWaterMark: 1 };

/**
 * The remote while a lock is held on it: nothing is changed once the lock is lost, or could be because the process stood
 * still. That includes a file that is being written: a process that goes on after a stop would complete it before any
 * timer.
 */
export function heldRemote(remote: Remote, lease: Lease): Remote {
  const checked =
    <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
    async (...args: Args) => {
      lease.check();
      return call(...args);
    };
  return around(remote, {
    write: checked((source, op) => remote.write(checkedSource(source, lease), op)),
    delete: checked(remote.delete.bind(remote)),
    makeDir: checked(remote.makeDir.bind(remote)),
    deleteDir: checked(remote.deleteDir.bind(remote)),
    can: checkedAll(remote.can, lease),
  });
}

type Lease = Pick<RemoteLease, 'check'>;

/** The source whose content ends with an error once the lock is lost. */
function checkedSource(source: WriteSource, lease: Lease): WriteSource {
  return {
    ...source,
    async open(range, op) {
      const body = await source.open(range, op);
      lease.check();
      if (Buffer.isBuffer(body)) return body;
      return Readable.from(checkedChunks(body, lease, op), CHUNK_BY_CHUNK);
    },
  };
}

async function* checkedChunks(body: Body, lease: Lease, op: Op): AsyncGenerator<Buffer> {
  for await (const chunk of bodyChunks(body, op.signal)) {
    lease.check();
    yield chunk;
  }
  lease.check();
}

/** All of them: a check before a read does no harm, and a new one that changes something is checked, too. */
function checkedAll(can: Capabilities, lease: Lease): Capabilities {
  const entries = Object.entries(can).map(([name, member]) => {
    if (typeof member !== 'function') return [name, member];
    const call = member as (...args: unknown[]) => unknown;
    const checked = (...args: unknown[]) => {
      lease.check();
      return call(...args);
    };
    return [name, checked];
  });
  return Object.fromEntries(entries) as Capabilities;
}
