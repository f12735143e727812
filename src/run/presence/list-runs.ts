import type { RunEntry } from '../../state/runs.ts';
import { RunClient } from './run-client.ts';
import type { RunStatus } from './run-protocol.ts';

/** A running run, and how far it is. */
export interface RunningRun {
  readonly entry: RunEntry;
  /** Absent if it does not answer, or is of another version. */
  readonly status?: RunStatus;
}

/** Time limit for the answer of a run, in milliseconds. */
const ANSWER_MS = 2_000;

/** A run with how far it is. */
export async function withStatus(entry: RunEntry): Promise<RunningRun> {
  const { id, socket } = entry;
  const client =
    socket === undefined ? undefined : await RunClient.open(id, socket).catch(() => undefined);
  if (client === undefined) return { entry };
  // Closing it rejects the question.
  const late = setTimeout(() => client.close(), ANSWER_MS);
  const status = await client.status({ ask: 'state' }).catch(() => undefined);
  clearTimeout(late);
  client.close();
  return status === undefined ? { entry } : { entry, status };
}
