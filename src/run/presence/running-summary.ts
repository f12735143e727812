import { readlink } from 'node:fs/promises';
import type { OtherUser } from '../../config/other-users.ts';
import { defined } from '../../core/defined.ts';
import {
  currentRate,
  ProgressState,
  secondsLeft,
  totalBytes,
  totalChecks,
  totalTransfers,
} from '../../shell/progress/progress-state.ts';
import type { RunEntry } from '../../state/runs.ts';
import { typedWords } from '../history/note-run.ts';
import { entriesOf, listEntries, type RunList } from './list-entries.ts';
import { RunClient } from './run-client.ts';
import { type RunStatus, takeProgress } from './run-protocol.ts';
import type { RunningSummary } from './running-text.ts';

/** All running runs of another user, the oldest first. */
export async function runsOfUser(other: OtherUser): Promise<readonly RunningSummary[]> {
  const runs = await Promise.all((await entriesOf(other)).map(withSummary));
  return runs.map((run) => ({ ...run, user: other.name }));
}

/**
 * All running runs of this user, the oldest first.
 *
 * @param hooksOf says in words what the hook server with the control socket at a path does, `undefined` if it does not
 * respond
 */
export async function runningRuns(
  list: RunList,
  hooksOf: (control: string) => Promise<string | undefined>,
): Promise<readonly RunningSummary[]> {
  const runs = await Promise.all((await listEntries(list)).map(withStatus));
  return Promise.all(
    runs.map(async (run) => {
      const { control } = run.entry;
      const about = control === undefined ? undefined : await hooksOf(control);
      return { ...runningSummary(run), ...defined({ about }) };
    }),
  );
}

/** The same with the terminal of a run that waits there, as far as the system says it. */
export async function withTerminal(run: RunningSummary): Promise<RunningSummary> {
  if (run.state !== 'waiting') return run;
  const path = await readlink(`/proc/${run.pid}/fd/0`).catch(() => '');
  return path.startsWith('/dev/') ? { ...run, terminal: path.slice('/dev/'.length) } : run;
}

/** A run of the list, with how far it is. */
export async function withSummary(entry: RunEntry): Promise<RunningSummary> {
  return runningSummary(await withStatus(entry));
}

/** Time limit for the response of a run, in milliseconds. */
const RESPONSE_MS = 2_000;

function runningSummary({ entry, status }: RunningRun): RunningSummary {
  const { id, words, program, dir, pid, startedMs } = entry;
  const known = { id, words: typedWords(words), dir, pid, startedMs };
  const about = { ...known, ...(program === undefined ? {} : { program }) };
  if (status === undefined) return { ...about, state: 'silent' };
  const { isStopping, isPaused, progress, nowMs } = status;
  // With the times of its own clock.
  const state = new ProgressState(0);
  takeProgress(state, progress, 0);
  const [total, rate] = [totalBytes(state), currentRate(state, nowMs)];
  const left = secondsLeft(state.bytes, total, rate);
  const goesOn = isPaused ? 'paused' : 'running';
  const isHeld = progress.heldSinceMs !== undefined;
  return {
    ...about,
    state: isStopping ? 'stopping' : isHeld ? 'waiting' : goesOn,
    far: {
      bytes: state.bytes,
      totalBytes: total,
      rate: isPaused ? 0 : rate,
      files: state.transfers,
      totalFiles: totalTransfers(state),
      checks: state.checks,
      totalChecks: totalChecks(state),
      deleted: state.deletedFiles,
      errors: state.errors,
      ...(state.serverCopyBytes > 0 ? { copiedByServer: state.serverCopyBytes } : {}),
      ...(left === undefined || isPaused ? {} : { secondsLeft: left }),
    },
  };
}

interface RunningRun {
  readonly entry: RunEntry;
  /** Absent if it does not answer, or is of another version. */
  readonly status?: RunStatus;
}

/** A run with how far it is. */
export async function withStatus(entry: RunEntry): Promise<RunningRun> {
  const { id, socket } = entry;
  const client =
    socket === undefined ? undefined : await RunClient.open(id, socket).catch(() => undefined);
  if (client === undefined) return { entry };
  // Closing it rejects the question.
  const late = setTimeout(() => client.close(), RESPONSE_MS);
  const status = await client.status({ ask: 'state' }).catch(() => undefined);
  clearTimeout(late);
  client.close();
  return status === undefined ? { entry } : { entry, status };
}
