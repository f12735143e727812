import { otherUsers } from '../../config/other-users.ts';
import { SyncerError } from '../../core/errors.ts';
import { runningLine } from '../../home/home-list.ts';
import { shortRunId } from '../../home/running-run.ts';
import { findRunId } from '../../kit/run-id.ts';
import { type FoundRun, listEntries } from '../../running/list-entries.ts';
import { RunClient } from '../../running/run-client.ts';
import { runFolders } from '../../running/run-folders.ts';

/** A running run to talk to. */
export interface OpenedRun {
  readonly found: FoundRun;
  readonly client: RunClient;
  /** `7k3f (copy a b)` */
  readonly title: string;
}

/**
 * Connects to the running run that the user named by its id or any end of it, or to the only one. Rejects with
 * `file-not-found` if there is none, `usage` if several fit, and `no-answer` if it does not respond.
 */
export async function openRun(
  typed: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<OpenedRun> {
  const runs = await listEntries(runFolders(env));
  const found = typed === undefined ? onlyOne(runs) : (named(typed, runs) ?? (await none(typed)));
  const { id, program } = found.entry;
  if (program !== undefined) {
    const advice = 'use "syncer hooks", or systemctl for its service';
    throw new SyncerError('unsupported', `${id} is a ${program}, and not a run of syncer`, {
      advice,
    });
  }
  const client = await RunClient.open(id, found.socket);
  return { found, client, title: `${shortRunId(id)} (${runningLine(found.entry)})` };
}

const OF_ALL = 'as root, "syncer ps --all" lists the runs of all users';
const OF_OWN = `"syncer ps" lists your running runs; ${OF_ALL}`;

function onlyOne(runs: readonly FoundRun[]): FoundRun {
  const own = runs.filter(({ entry }) => entry.program === undefined);
  const [run] = own;
  if (run === undefined) {
    throw new SyncerError('file-not-found', 'no run of this user is running', { advice: OF_ALL });
  }
  if (own.length > 1) throw several('several runs are running', own);
  return run;
}

function named(typed: string, runs: readonly FoundRun[]): FoundRun | undefined {
  const ids = runs.map(({ entry }) => entry.id);
  const id = findRunId(typed, ids);
  const run = runs.find(({ entry }) => entry.id === id);
  if (run !== undefined) return run;
  const like = runs.filter(({ entry }) => typed !== '' && entry.id.endsWith(typed));
  if (like.length > 1) throw several(`several runs end with "${typed}"`, like);
  return undefined;
}

/** Rejects; root learns whose run it is. */
async function none(typed: string): Promise<never> {
  const text = `no run "${typed}" of this user is running`;
  for (const { name, uid, env } of process.geteuid?.() === 0 ? await otherUsers() : []) {
    if (named(typed, await listEntries(runFolders(env), uid)) === undefined) continue;
    const advice = `it is a run of ${name}; run the command as that user, with sudo -u ${name}`;
    throw new SyncerError('file-not-found', text, { advice });
  }
  throw new SyncerError('file-not-found', text, { advice: OF_OWN });
}

function several(what: string, runs: readonly FoundRun[]): SyncerError {
  const names = runs.map(({ entry }) => entry.id).join(', ');
  return new SyncerError('usage', `${what}: name one of ${names}`);
}
