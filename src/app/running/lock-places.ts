import { dirname, join } from 'node:path';
import { stateDir } from '../../config/config-path.ts';
import { withFileLock } from '../../config/file-lock.ts';
import type { Clock } from '../../core/context.ts';
import { SyncerError } from '../../core/errors.ts';
import type { Lineage } from '../../core/place.ts';
import { placeOf, placesOverlap } from '../../engine/place/overlap.ts';
import { makeFolder } from '../../files/make-folder.ts';
import { shellLine } from '../../home/home-actions.ts';
import { shortRunId } from '../../home/running-run.ts';
import { runningText } from '../../home/running-text.ts';
import type { EnteredRun } from '../../running/enter-run.ts';
import { type FoundRun, listEntries } from '../../running/list-entries.ts';
import type { RunEntry } from '../../running/run-entry.ts';
import { ownRunFolders, runFolders } from '../../running/run-folders.ts';
import { took } from '../../screen/time-texts.ts';
import type { ChangedPlaces } from '../command.ts';
import { logText } from '../log/log-text.ts';
import type { PresentRun } from './presence.ts';
import { withSummary } from './running-summary.ts';

/** How often a run that waits for a lock looks again, in milliseconds. */
const LOOK_MS = 500;

/** A run on the list. */
interface ListedRun {
  readonly run: PresentRun;
  readonly entry: RunEntry;
  readonly entered: EnteredRun;
}

/**
 * Waits until no other run changes one of these places, or a directory in or above it, and keeps others from locking
 * them until the entry is taken off the list. Rejects with `locked` when `waitMs` are over.
 */
export async function lockPlaces(
  listed: ListedRun,
  changed: ChangedPlaces,
  waitMs: number,
): Promise<void> {
  const { run, entry, entered } = listed;
  const { signal, clock, emit } = run.context;
  const places = await placesOf(listed, changed);
  const until = clock.monotonic() + waitMs;
  let isWaiting = false;
  for (;;) {
    const holder = await oneAtATime(run, async () => {
      const [other] = await overlapping(listed, places);
      if (other === undefined) await entered.update({ ...entry, places, isLocked: true });
      return other;
    });
    if (holder === undefined) return;
    const text = await holderText(holder, clock);
    if (clock.monotonic() >= until) throw busy(text, holder);
    if (!isWaiting) emit(logText('notice', `Waiting for ${text}`));
    isWaiting = true;
    await clock.sleep(Math.min(LOOK_MS, Math.max(1, until - clock.monotonic())), signal);
  }
}

/** Adds what a run changes to its entry; logs which other run changes that, too. */
export async function notePlaces(listed: ListedRun, changed: ChangedPlaces): Promise<void> {
  const { run, entry, entered } = listed;
  const places = await placesOf(listed, changed);
  await entered.update({ ...entry, places });
  for (const other of await overlapping(listed, places)) {
    const text = await holderText(other, run.context.clock);
    run.context.emit(logText('notice', `Not alone: ${text}; --lock keeps runs apart`));
  }
}

function placesOf({ run }: ListedRun, { remotes }: ChangedPlaces): Promise<readonly Lineage[]> {
  return Promise.all(remotes.map((remote) => placeOf(remote, { signal: run.context.signal })));
}

/** The other runs that change one of these places. */
async function overlapping(
  { run, entry }: ListedRun,
  places: readonly Lineage[],
): Promise<readonly FoundRun[]> {
  return (await runsAt(run.env, places)).filter((other) => other.entry.id !== entry.id);
}

/** The runs of this user that change one of these places, or what lies in or above it; the oldest first. */
export async function runsAt(
  env: NodeJS.ProcessEnv,
  places: readonly Lineage[],
): Promise<readonly FoundRun[]> {
  const found = await listEntries(runFolders(env));
  return found.filter(({ entry: { places: others = [] } }) =>
    others.some((b) => places.some((a) => placesOverlap(a, b))),
  );
}

/**
 * Only one process of the user looks and enters at the same time: in the state directory, which is the same for login
 * sessions and for cron.
 */
async function oneAtATime<T>({ env, context }: PresentRun, work: () => Promise<T>): Promise<T> {
  const [own = ''] = ownRunFolders(env);
  const path = join(stateDir(env) ?? dirname(own), 'running');
  await makeFolder(dirname(path), 0o700);
  return withFileLock(path, work, context.signal);
}

/** `run 7k3f, which changes the same place: syncer sync a b:data, for 3 min 5 s, 42%` */
export async function holderText(found: FoundRun, clock: Pick<Clock, 'now'>): Promise<string> {
  const { id, words, startedMs } = found.entry;
  const since = took(clock.now() - startedMs);
  const far = runningText(await withSummary(found));
  return `run ${shortRunId(id)}, which changes the same place: ${shellLine(words)}, for ${since}, ${far}`;
}

function busy(text: string, { entry }: FoundRun): SyncerError {
  const id = shortRunId(entry.id);
  return new SyncerError('locked', `locked by ${text}`, {
    advice: `nothing was changed; wait for it with --lock-wait 10m, or watch it with "syncer attach ${id}"`,
  });
}
