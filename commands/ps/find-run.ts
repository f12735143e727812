import { otherUsers } from '../../src/config/other-users.ts';
import { SyncerError } from '../../src/core/errors.ts';
import { findRunId, shortRunId } from '../../src/core/run-id.ts';
import { harmlessLine } from '../../src/core/shown-text.ts';
import { entriesOf, listEntries, type RunList } from '../../src/run/presence/list-entries.ts';
import { RunClient } from '../../src/run/presence/run-client.ts';
import { isServer, runningLine } from '../../src/run/presence/running-text.ts';
import type { Asking, CommandCall, Environment } from '../../src/shell/command-line/command.ts';
import { askAside } from '../../src/shell/interactive/input-lines.ts';
import { screenTerminal } from '../../src/shell/interactive/screen-terminal.ts';
import type { RunEntry } from '../../src/state/runs.ts';

/** A running run to talk to. */
export interface OpenedRun {
  readonly entry: RunEntry;
  readonly client: RunClient;
  /** `7k3f (copy a b)` */
  readonly title: string;
}

/**
 * Connects to the running run that the user named by its id or any end of it, or to the only one; of several `choose`
 * may choose. Rejects with `file-not-found` if there is none, `usage` if several fit, and `no-answer` if it does not respond.
 */
export async function openRun(
  typed: string | undefined,
  list: RunList,
  choose?: (runs: readonly RunEntry[]) => Promise<RunEntry | undefined>,
): Promise<OpenedRun> {
  const runs = await listEntries(list);
  const own = runs.filter(({ program }) => program === undefined);
  // A server has no end to watch for: the only other run is the one that is meant.
  const [only, ...more] = own.filter((entry) => !isServer(entry));
  const meant = choose !== undefined && more.length === 0 ? only : undefined;
  const chosen =
    typed === undefined && own.length > 1 ? (meant ?? (await choose?.(own))) : undefined;
  if (typed === undefined && chosen === undefined && own.length > 1)
    throw several('several runs are running', own);
  const found = typed === undefined ? own[0] : named(typed, runs);
  const entry = chosen ?? found ?? (await none(typed));
  const { id, program, socket = '' } = entry;
  if (program !== undefined) {
    throw new SyncerError('unsupported', `${id} is a ${program}, and not a run of syncer`, {
      advice: 'use "syncer hooks", or systemctl for its service',
    });
  }
  const client = await RunClient.open(id, socket);
  return { entry, client, title: titleOf(entry) };
}

const titleOf = (entry: RunEntry) => `${shortRunId(entry.id)} (${runningLine(entry)})`;

/** Shows several runs as a list, servers last; `undefined` if none is chosen. */
export async function chooseFromList(
  invocation: CommandCall & Environment,
  runs: readonly RunEntry[],
): Promise<RunEntry | undefined> {
  const [{ openRunList }, { withSummary, withTerminal }] = await Promise.all([
    import('../../components/open.ts'),
    import('../../src/run/presence/running-summary.ts'),
  ]);
  const ordered = runs.toSorted((a, b) => Number(isServer(a)) - Number(isServer(b)));
  const summaries = await Promise.all(
    ordered.map(async (run) => withTerminal(await withSummary(run))),
  );
  const nowMs = invocation.context.clock.now();
  const id = await openRunList(summaries, nowMs, screenTerminal(invocation));
  return runs.find((run) => run.id === id);
}

/** Asks on the terminal for one of several runs; `undefined` if none is chosen. */
export async function chooseRun(
  invocation: CommandCall & Asking,
  runs: readonly RunEntry[],
): Promise<RunEntry | undefined> {
  const lines = runs.map((entry, at) => `${at + 1}) ${harmlessLine(titleOf(entry))}\n`);
  const answer = await askAside(invocation, (ask) =>
    ask(`${lines.join('')}Which run? [1-${runs.length}] `),
  );
  return runs[Number(answer?.trim()) - 1];
}

const OF_ALL = 'as root, "syncer ps --all" lists the runs of all users';

function named(typed: string, runs: readonly RunEntry[]): RunEntry | undefined {
  const ids = runs.map((entry) => entry.id);
  const id = findRunId(typed, ids);
  const run = runs.find((entry) => entry.id === id);
  if (run !== undefined) return run;
  const like = runs.filter((entry) => typed !== '' && entry.id.endsWith(typed));
  if (like.length > 1) throw several(`several runs end with "${typed}"`, like);
  return undefined;
}

/** Rejects; root learns whose run it is. */
async function none(typed: string | undefined): Promise<never> {
  if (typed === undefined)
    throw new SyncerError('file-not-found', 'no run of this user is running', { advice: OF_ALL });
  const text = `no run "${typed}" of this user is running`;
  for (const other of process.geteuid?.() === 0 ? await otherUsers() : []) {
    if (named(typed, await entriesOf(other)) === undefined) continue;
    const { name } = other;
    const advice = `it is a run of ${name}; run the command as that user, with sudo -u ${name}`;
    throw new SyncerError('file-not-found', text, { advice });
  }
  const advice = `"syncer ps" lists your runs in progress; ${OF_ALL}`;
  throw new SyncerError('file-not-found', text, { advice });
}

function several(what: string, runs: readonly RunEntry[]): SyncerError {
  return new SyncerError('usage', `${what}, name one: ${runs.map(titleOf).join(', ')}`);
}
