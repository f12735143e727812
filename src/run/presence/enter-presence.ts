import type { Socket } from 'node:net';
import type { Clock } from '../../core/context.ts';
import { defined } from '../../core/defined.ts';
import { SyncerError, toSyncerError } from '../../core/errors.ts';
import type { Lineage } from '../../core/place.ts';
import { shortRunId } from '../../core/run-id.ts';
import { placeOf, placesOverlap } from '../../engine/place/overlap.ts';
import type { ChangedPlaces } from '../../shell/command-line/command.ts';
import { recordOf } from '../../shell/log/log-record.ts';
import { logText } from '../../shell/log/log-text.ts';
import { causeOf } from '../../shell/progress/failures.ts';
import { VERSION } from '../../shell/version.ts';
import { enterRun } from '../../state/enter-run.ts';
import { listedRuns, putRun, type RunEntry } from '../../state/runs.ts';
import { type LinePeer, serveLines } from '../../system/serve-lines.ts';
import { shellLine } from '../../system/shell-words.ts';
import { took } from '../../terminal/time-texts.ts';
import { entryOf } from '../history/note-run.ts';
import { listEntries, ownRunFolders, type RunList } from './list-entries.ts';
import type { PresentRun } from './presence.ts';
import {
  progressData,
  RUN_PROTOCOL,
  type RunNews,
  type RunQuestion,
  type RunStatus,
} from './run-protocol.ts';
import { withSummary } from './running-summary.ts';
import { runningText } from './running-text.ts';

/** Puts a run on the list of running runs. Never rejects. */
export async function enterPresence(run: PresentRun) {
  const { env, stores } = run;
  let isEnding = false;
  const server = serveRun(run, () => {
    // A second Ctrl-C would end the process before it has cleaned up.
    if (!isEnding) process.kill(process.pid, 'SIGINT');
    isEnding = true;
  });
  const entered = await enterRun(stores, ownRunFolders(env), entryOf(run), server.serve);
  return {
    lock: (places: ChangedPlaces, waitMs: number) => lockPlaces(run, entered, places, waitMs),
    /** Adds what it changes to its entry, and logs which other run changes that, too. Never rejects. */
    async note(changed: ChangedPlaces | undefined) {
      if (changed === undefined || changed.isFile) return;
      try {
        const places = await placesOf(run, changed);
        await entered.add({ places });
        for (const other of await runsAt(run, places)) {
          if (other.id === run.id) continue;
          const text = await holderText(other, run.context.clock);
          run.context.emit(logText('notice', `Not alone: ${text}; --lock keeps runs apart`));
        }
      } catch {
        // It is only not shown.
      }
    },
    /** Takes no more questions, and adds nothing to its entry from here on. */
    async end(exit: number) {
      server.end(exit);
      await entered.leave();
    },
  };
}

/** What the socket of a run works on. */
export type ServedRun = Pick<
  PresentRun,
  'id' | 'command' | 'canSteer' | 'steering' | 'bandwidth' | 'report' | 'context'
>;

/**
 * Serves the socket of a run. Without watchers there is no timer.
 *
 * @param interrupt as Ctrl-C
 */
export function serveRun(run: ServedRun, interrupt: () => void) {
  const watchers = new Set<LinePeer<RunNews>>();
  const sockets = new Map<Socket, LinePeer<RunNews>>();
  let stopWatching = () => {};
  const watch = (peer: LinePeer<RunNews>) => {
    if (watchers.size === 0) stopWatching = startWatching(run, watchers);
    watchers.add(peer);
    peer.atEnd(() => {
      if (watchers.delete(peer) && watchers.size === 0) stopWatching();
    });
  };
  return {
    serve(socket: Socket) {
      socket.unref();
      const peer = serveLines<RunQuestion, RunNews>(socket, (question, asking) =>
        answer(question, run, { interrupt, watch: () => watch(asking) }),
      );
      sockets.set(socket, peer);
      peer.atEnd(() => sockets.delete(socket));
      peer.send({ event: 'hello', protocol: RUN_PROTOCOL, version: VERSION, run: run.id });
    },
    /** Sends the end of the run to all, and closes their connections. */
    end(exit: number) {
      for (const [socket, peer] of sockets) {
        if (watchers.has(peer)) peer.send({ event: 'state', state: statusOf(run) });
        peer.send({ event: 'end', exit });
        socket.end();
      }
      if (watchers.size > 0) stopWatching();
      watchers.clear();
    },
  };
}

function startWatching(run: ServedRun, watchers: ReadonlySet<LinePeer<RunNews>>): () => void {
  const { report } = run;
  const timer = setInterval(() => {
    const state = statusOf(run);
    for (const peer of watchers) {
      // One that reads slowly gets no more states until it has read these.
      if (peer.unsent() < 64 << 10) peer.send({ event: 'state', state });
    }
  }, 250).unref();
  const { hide, shows } = report.log;
  const sendAll = (news: RunNews) => {
    for (const peer of watchers) peer.send(news);
  };
  const unlisten = report.listen((event) => {
    if (event.type === 'wait') {
      const { why, ms, what, error } = event;
      const cause = error === undefined ? {} : { cause: hide(causeOf(error, undefined)) };
      sendAll({ event: 'wait', wait: { why, ms, what, ...cause } });
    } else if (event.type === 'log' && shows(event.level)) {
      const { level, path, message, lines } = recordOf(event, 0);
      const line = defined({ level, path, message: hide(message), lines });
      sendAll({ event: 'log', line });
    }
  });
  return () => {
    clearInterval(timer);
    unlisten();
  };
}

function answer(
  question: RunQuestion,
  run: ServedRun,
  { interrupt, watch }: { readonly interrupt: () => void; readonly watch: () => void },
): RunStatus {
  const { steering, canSteer, command, bandwidth } = run;
  const refuse = (what: string) => {
    if (!canSteer) throw new SyncerError('unsupported', `${command} cannot ${what}`);
  };
  switch (question.ask) {
    case 'state':
      break;
    case 'watch':
      watch();
      break;
    case 'pause':
      refuse('be paused');
      if (steering.stopping.aborted) throw new SyncerError('unsupported', 'the run is stopping');
      steering.pause();
      break;
    case 'resume':
      refuse('be paused');
      steering.goOn();
      break;
    case 'stop':
      if (question.now === true) interrupt();
      else if (!steering.stopping.aborted) steering.stop();
      break;
    case 'set': {
      refuse('be changed while it runs');
      const { transfers, bwlimit } = question;
      if (transfers !== undefined && !(Number.isSafeInteger(transfers) && transfers > 0))
        throw new SyncerError('unsupported', 'transfers must be a number above 0');
      const rate = bwlimit === 'off' ? Number.POSITIVE_INFINITY : bwlimit;
      if (rate !== undefined && !(rate > 0))
        throw new SyncerError('unsupported', 'bwlimit must be above 0');
      if (transfers !== undefined) steering.slots.set(transfers);
      if (rate !== undefined) bandwidth?.limitTo(rate);
      break;
    }
    default: {
      const { ask } = question as { ask?: unknown };
      throw new SyncerError('unsupported', `unknown request "${ask}"`);
    }
  }
  return statusOf(run);
}

function statusOf({ report, context, canSteer, steering, bandwidth }: ServedRun): RunStatus {
  const limit = bandwidth?.limit();
  return {
    nowMs: context.clock.monotonic(),
    progress: progressData(report.state, report.log.hide),
    canSteer,
    isPaused: steering.isPaused,
    isStopping: steering.stopping.aborted,
    transfers: steering.slots.width,
    ...(limit === undefined ? {} : { bwlimit: Number.isFinite(limit) ? limit : 'off' }),
  };
}

/** How often a run that waits for a lock looks again, in milliseconds. */
const LOOK_MS = 500;

/**
 * Waits until no other run changes one of these places, or a directory in or above it, and keeps others from locking
 * them until the end of the run. Rejects with `locked` when `waitMs` are over, and if the list cannot be used.
 */
async function lockPlaces(
  run: PresentRun,
  { entry }: Awaited<ReturnType<typeof enterRun>>,
  changed: ChangedPlaces,
  waitMs: number,
): Promise<void> {
  const { signal, clock, emit } = run.context;
  const places = await placesOf(run, changed);
  const until = clock.monotonic() + waitMs;
  let isWaiting = false;
  for (;;) {
    const holder = await tryLock(run, entry, places);
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
  { context, stores, env }: PresentRun,
  entry: RunEntry,
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
    throw new SyncerError(code, `cannot lock: ${message}`, { cause: thrown, advice });
  }
}

function placesOf({ context: { signal } }: PresentRun, { remotes }: ChangedPlaces) {
  return Promise.all(remotes.map((remote) => placeOf(remote, { signal })));
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
