import { randomBytes } from 'node:crypto';
import { collectBody } from '../core/body.ts';
import { deleteOne } from '../core/deleting.ts';
import { hasCode, toSyncerError } from '../core/errors.ts';
import type { FileEntry, Op, Remote, WriteSource } from '../core/remote.ts';
import { withGrace } from '../kit/abort.ts';
import { type CheckResult, failed, ok, unknown, warning } from './check.ts';

const BYTES = 1024;
/** How long the deletion may take after the run is interrupted, in milliseconds. */
const GRACE_MS = 5_000;

/** Writes, reads and deletes one file of a remote, under a new name (`--write`). */
export async function* writeChecks(remote: Remote, op: Op): AsyncGenerator<CheckResult> {
  if (remote.traits.bucketBased && remote.root === '') {
    return yield unknown('write', 'name a bucket to write to');
  }
  const content = randomBytes(BYTES);
  const path = `syncer-doctor-${content.subarray(0, 6).toString('hex')}.tmp`;
  const source = sourceOf(path, content);
  let file: FileEntry | undefined;
  try {
    file = await remote.write(source, op);
    yield ok('write', `${BYTES} bytes written`);
    const body = await remote.read(file, undefined, op);
    const isSame = content.equals(await collectBody(body, op.signal));
    yield isSame ? ok('read', 'they are the same') : failed('read', `${path} has other content`);
    yield await conditions(remote, source, op);
  } catch (thrown) {
    op.signal.throwIfAborted();
    yield failed(file === undefined ? 'write' : 'read', toSyncerError(thrown).message);
  } finally {
    if (file !== undefined) yield await deletion(remote, file, op);
  }
}

function sourceOf(path: string, content: Buffer): WriteSource {
  return { path, size: content.length, seekable: true, open: async () => content };
}

async function deletion(remote: Remote, file: FileEntry, op: Op): Promise<CheckResult> {
  try {
    await withGrace(op.signal, GRACE_MS, (signal) => deleteOne(remote, file, { signal }));
    return ok('delete', 'deleted');
  } catch (thrown) {
    return failed('delete', `${file.path} is left: ${toSyncerError(thrown).message}`);
  }
}

/** Whether the server refuses to replace a file that must not be there: locks need that. */
async function conditions(remote: Remote, source: WriteSource, op: Op): Promise<CheckResult> {
  const check = 'conditional-writes';
  if (remote.can.writesIfUnchanged !== true) return unknown(check, 'this backend has none');
  try {
    await remote.write({ ...source, replaces: 'nothing' }, op);
    return warning(check, 'the server ignores the condition, and replaces the file');
  } catch (thrown) {
    op.signal.throwIfAborted();
    if (hasCode(thrown, 'precondition-failed')) return ok(check, 'the server checks conditions');
    return warning(check, toSyncerError(thrown).message);
  }
}
