import type { Clock } from '../../core/context.ts';
import { SyncerError, toSyncerError } from '../../core/errors.ts';
import type { Lineage } from '../../core/place.ts';
import { shortRunId } from '../../core/run-id.ts';
import { placeOf, placesOverlap } from '../../engine/place/overlap.ts';
import type { ChangedPlaces } from '../../shell/command-line/command.ts';
import { logText } from '../../shell/log/log-text.ts';
import type { EnteredRun } from '../../state/enter-run.ts';
import { listedRuns, putRun, type RunEntry } from '../../state/runs.ts';
import { shellLine } from '../../system/shell-words.ts';
import { took } from '../../terminal/time-texts.ts';
import { listEntries, type RunList } from './list-entries.ts';
import type { PresentRun } from './presence.ts';
import { withSummary } from './running-summary.ts';
import { runningText } from './running-text.ts';

/** How often a run that waits for a lock looks again, in milliseconds. */
const LOOK_MS = 500;

/** A run on the list. */
interface ListedRun {
  readonly run: PresentRun;
  readonly entered: EnteredRun;
}

/**
 * Waits until no other run changes one of these places, or a directory in or above it, and keeps others from locking
 * them until the end of the run. Rejects with `locked` when `waitMs` are over, and if the list cannot be used.
 */
export async function lockPlaces(
  listed: ListedRun,
  changed: ChangedPlaces,
  waitMs: number,
): Promise<void> {
  const { signal, clock, emit } = listed.run.context;
  const places = await placesOf(listed, changed);
  const until = clock.monotonic() + waitMs;
  let isWaiting = false;
  for (;;) {
    const holder = await tryLock(listed, places);
    if (holder === undefined) return;
    const text = await holderText(holder, clock);
    if (clock.monotonic() >= until) {
      const id = shortRunId(holder.id);
      throw new SyncerError('locked', `locked by ${text}`, {
        advice: `nothing was changed; wait for it with --lock-wait 10m, or watch it with "syncer attach ${id}"`,
      });
    }
    if (!isWaiting) emit(logText('notice', `Waiting for ${text}`));
    isWaiting = true;
    await clock.sleep(Math.min(LOOK_MS, Math.max(1, until - clock.monotonic())), signal);
  }
}

/** Locks places for a run, or gives the run that has one of them. */
async function tryLock(
  { run: { context, stores, env }, entered: { entry } }: ListedRun,
  places: readonly Lineage[],
): Promise<RunEntry | undefined> {
  try {
    const database = await stores.state();
    const seen = new Set(listedRuns(database).map(({ id }) => id));
    const living = new Set((await listEntries({ stores, env })).map(({ id }) => id));
    return await database.write(() => {
      // Whatever has entered since counts.
      const others = listedRuns(database).filter(({ id }) => living.has(id) || !seen.has(id));
      const [other] = at(places, others).filter(({ id }) => id !== entry.id);
      if (other === undefined) putRun(database, { ...entry, places, isLocked: true });
      return other;
    }, context.signal);
  } catch (thrown) {
    context.signal.throwIfAborted();
    const { code, message, advice } = toSyncerError(thrown);
    const more = { cause: thrown, advice };
    throw new SyncerError(code, `cannot lock: ${message}`, more);
  }
}

/** Adds what a run changes to its entry; logs which other run changes that, too. */
export async function notePlaces(listed: ListedRun, changed: ChangedPlaces): Promise<void> {
  const { run, entered } = listed;
  const places = await placesOf(listed, changed);
  await entered.add({ places });
  for (const other of await runsAt(run, places)) {
    if (other.id === run.id) continue;
    const text = await holderText(other, run.context.clock);
    run.context.emit(logText('notice', `Not alone: ${text}; --lock keeps runs apart`));
  }
}

function placesOf({ run }: ListedRun, { remotes }: ChangedPlaces): Promise<readonly Lineage[]> {
  return Promise.all(remotes.map((remote) => placeOf(remote, { signal: run.context.signal })));
}

/** The runs of this user that change one of these places, or what lies in or above it; the oldest first. */
export async function runsAt(
  list: RunList,
  places: readonly Lineage[],
): Promise<readonly RunEntry[]> {
  return at(places, await listEntries(list));
}

function at(places: readonly Lineage[], runs: readonly RunEntry[]): readonly RunEntry[] {
  return runs.filter(({ places: others = [] }) =>
    others.some((b) => places.some((a) => placesOverlap(a, b))),
  );
}

/** `run 7k3f, which changes the same place: syncer sync a b:data, for 3 min 5 s, 42%` */
export async function holderText(entry: RunEntry, clock: Pick<Clock, 'now'>): Promise<string> {
  const { id, words, startedMs } = entry;
  const since = took(clock.now() - startedMs);
  const far = runningText(await withSummary(entry));
  return `run ${shortRunId(id)}, which changes the same place: ${shellLine(words)}, for ${since}, ${far}`;
}
