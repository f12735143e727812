import { hash } from 'node:crypto';
import { collectBody } from '../../../../src/core/body.ts';
import { SyncerError } from '../../../../src/core/errors.ts';
import type { FileEntry, Remote } from '../../../../src/core/remote.ts';
import type { LeaseRemote } from '../../../../src/run/presence/remote-lease.ts';

/** One file on a server with conditional writes, in memory. */
export function openMemory() {
  let content: Buffer | undefined;
  let failure: SyncerError | undefined;
  let losesResponse = false;
  let ignores = false;
  const etag = () => (content === undefined ? undefined : hash('md5', content));
  const entry = (): FileEntry => {
    const tag = etag() ?? '';
    return { kind: 'file', path: '.syncer-lock', size: content?.length ?? 0, etag: tag };
  };
  const remote: LeaseRemote = {
    title: 'store',
    traits: { onDisk: false } as Remote['traits'],
    can: { writesIfUnchanged: true },
    stat: async () => (content === undefined ? undefined : entry()),
    read: async () => content ?? Buffer.alloc(0),
    async write(source, op) {
      const { replaces } = source;
      if (failure !== undefined) throw failure;
      const wanted = replaces === 'nothing' ? undefined : replaces?.etag;
      if (!ignores && wanted !== etag()) {
        // S3 has no object then whose ETag could be another one.
        const code = content === undefined ? 'file-not-found' : 'precondition-failed';
        throw new SyncerError(code, 'changed');
      }
      content = await collectBody(await source.open(undefined, op), op.signal);
      if (losesResponse) {
        losesResponse = false;
        // The client has sent it again.
        throw new SyncerError('precondition-failed', 'changed');
      }
      return entry();
    },
    async delete() {
      content = undefined;
      return new Map();
    },
  };
  return {
    remote,
    /** The same as a whole remote that notes what was changed. */
    full(changes: string[]): Remote {
      const change = async (dir: string) => void changes.push(dir);
      const can = { ...remote.can, purge: change };
      const others = { listPage: async () => ({ entries: [] }), close: async () => {} };
      const dirs = { makeDir: change, deleteDir: change };
      return { ...others, ...remote, can, ...dirs } as unknown as Remote;
    },
    text: () => content?.toString(),
    async put(text: string) {
      content = Buffer.from(text);
    },
    fail(next: SyncerError | undefined) {
      failure = next;
    },
    /** The next write is made, and its response lost. */
    loseResponse() {
      losesResponse = true;
    },
    ignoreConditions() {
      ignores = true;
    },
  };
}
