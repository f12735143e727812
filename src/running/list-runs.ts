import { type FoundRun, listEntries } from './list-entries.ts';
import { RunClient } from './run-client.ts';
import type { RunStatus } from './run-protocol.ts';

/** A running run, and how far it is. */
export interface RunningRun extends FoundRun {
  /** Absent if it does not answer, or is of another version. */
  readonly status?: RunStatus;
}

/** Time limit for the answer of a run, in milliseconds. */
const ANSWER_MS = 2_000;

/** All running runs of these directories, the oldest first, with how far they are. @param uid see `listEntries` */
export async function listRuns(
  folders: readonly string[],
  uid?: number,
): Promise<readonly RunningRun[]> {
  return Promise.all((await listEntries(folders, uid)).map(withStatus));
}

/** A run with how far it is. */
export async function withStatus(run: FoundRun): Promise<RunningRun> {
  const client = await RunClient.open(run.entry.id, run.socket).catch(() => undefined);
  if (client === undefined) return run;
  // Closing it rejects the question.
  const late = setTimeout(() => client.close(), ANSWER_MS);
  const status = await client.status({ ask: 'state' }).catch(() => undefined);
  clearTimeout(late);
  client.close();
  return status === undefined ? run : { ...run, status };
}
