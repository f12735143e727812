import { SyncerError, toSyncerError } from '../core/errors.ts';
import { listDir } from '../core/list-dir.ts';
import { modTimeToMs } from '../core/mod-time.ts';
import { OWN_NAMES } from '../core/own-names.ts';
import type { FileEntry, Op, Remote } from '../core/remote.ts';
import { counted } from '../kit/counted.ts';
import { isRunId, runTimeMs } from '../kit/run-id.ts';
import { shellWord } from '../kit/shell-words.ts';
import { readLease } from '../running/lease-file.ts';
import { took } from '../screen/time-texts.ts';
import { type CheckResult, ok, unknown, warning } from './check.ts';

/** A lock is renewed four times a minute, in milliseconds. */
const ABANDONED_MS = 10 * 60_000;

/** `--trash-keep`, in milliseconds. */
const KEPT_MS = 30 * 86_400_000;

const CHECK = 'own-files';

/** Files of syncer at the root of a remote, which no listing shows. */
export async function* ownFileChecks(
  remote: Remote,
  spec: string,
  nowMs: number,
  op: Op,
): AsyncGenerator<CheckResult> {
  const { traits, root } = remote;
  // A bucket has its own.
  if (traits.bucketBased && root === '') return;
  let found = 0;
  for (const look of [guard, lock, trash]) {
    try {
      const result = await look(remote, shellWord(spec), nowMs, op);
      if (result === undefined) continue;
      yield result;
    } catch (thrown) {
      op.signal.throwIfAborted();
      yield unknown(CHECK, toSyncerError(thrown).message);
    }
    found++;
  }
  if (found === 0) yield ok(CHECK, 'none');
}

async function guard(remote: Remote, ...[, , op]: [string, number, Op]) {
  const entry = await remote.stat(OWN_NAMES.guard, op);
  return entry && ok(CHECK, `${OWN_NAMES.guard}: the marker of --guard marker`);
}

async function lock(
  remote: Remote,
  ...[spec, nowMs, op]: [string, number, Op]
): Promise<CheckResult | undefined> {
  const { lock: name } = OWN_NAMES;
  const found = await readLease(remote, op).catch((thrown) => {
    if (thrown instanceof SyncerError && thrown.code === 'locked') return thrown;
    throw thrown;
  });
  if (found === undefined) return undefined;
  if (found instanceof SyncerError) return warning(CHECK, found.message);
  if (found === 'moving') return ok(CHECK, `${name}: a run has just renewed it`);
  const { record, file } = found;
  const { id, host, isReleased } = record;
  if (isReleased) return ok(CHECK, `${name}: no run holds the lock`);
  const sinceMs = ageOf(file, nowMs);
  const text = `${name}: run ${id} on ${host} holds the lock`;
  if (sinceMs === undefined || sinceMs < ABANDONED_MS) return ok(CHECK, text);
  const why = 'and has not renewed it for';
  return warning(CHECK, `${text}, ${why} ${took(sinceMs)}`, `syncer unlock ${spec} ${id}`);
}

/** By the time of the server. */
function ageOf({ storedTime, modTime }: FileEntry, nowMs: number) {
  const written = storedTime ?? modTime;
  return written === undefined ? undefined : nowMs - modTimeToMs(written);
}

async function trash(
  remote: Remote,
  ...[spec, nowMs, op]: [string, number, Op]
): Promise<CheckResult | undefined> {
  const { trash: name } = OWN_NAMES;
  if ((await remote.stat(name, op))?.kind !== 'dir') return undefined;
  const times: number[] = [];
  for await (const entries of listDir(remote, name, op, () => {})) {
    for (const { path } of entries) {
      const id = path.slice(name.length + 1);
      if (isRunId(id)) times.push(runTimeMs(id));
    }
  }
  if (times.length === 0) return undefined;
  const oldestMs = nowMs - Math.min(...times);
  const days = Math.floor(oldestMs / 86_400_000);
  const text = `${name}: what ${counted(times.length, 'run')} deleted and replaced`;
  if (oldestMs <= KEPT_MS) return ok(CHECK, text);
  const mend = `syncer trash empty ${spec} --older-than 30d`;
  return warning(CHECK, `${text}, the oldest ${counted(days, 'day')} ago`, mend);
}
