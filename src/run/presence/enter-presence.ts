import type { Socket } from 'node:net';
import { SyncerError } from '../../core/errors.ts';
import type { SyncerEvent } from '../../core/events.ts';
import type { ChangedPlaces } from '../../shell/command-line/command.ts';
import { recordOf } from '../../shell/log/log-record.ts';
import { causeOf } from '../../shell/progress/failures.ts';
import { VERSION } from '../../shell/version.ts';
import { enterRun } from '../../state/enter-run.ts';
import { type LinePeer, serveLines } from '../../system/serve-lines.ts';
import { entryOf } from '../history/note-run.ts';
import { ownRunFolders } from './list-entries.ts';
import { lockPlaces, notePlaces } from './lock-places.ts';
import type { PresentRun } from './presence.ts';
import {
  progressData,
  RUN_PROTOCOL,
  type RunNews,
  type RunQuestion,
  type RunStatus,
} from './run-protocol.ts';

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
    lock: (places: ChangedPlaces, waitMs: number) => lockPlaces({ run, entered }, places, waitMs),
    /** Adds what it changes to its entry, and logs if another run changes that, too. Never rejects. */
    async note(changed: ChangedPlaces | undefined) {
      if (changed === undefined || changed.isFile) return;
      await notePlaces({ run, entered }, changed).catch(() => {});
    },
    /** Takes no more questions, and adds nothing to its entry from here on. */
    async end(exit: number) {
      server.end(exit);
      await entered.leave();
    },
  };
}

/** What of an event is sent to watchers. */
function newsOf(
  event: SyncerEvent,
  { hide, shows }: ServedRun['report']['log'],
): RunNews | undefined {
  if (event.type === 'wait') {
    const { why, ms, what, error } = event;
    const cause = error === undefined ? {} : { cause: hide(causeOf(error, undefined)) };
    return { event: 'wait', wait: { why, ms, what, ...cause } };
  }
  if (event.type !== 'log' || !shows(event.level)) return undefined;
  const { level, path, message } = recordOf(event, 0);
  const about = path === undefined ? {} : { path };
  return { event: 'log', line: { level, ...about, message: hide(message) } };
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
  const unlisten = report.listen((event) => {
    const news = newsOf(event, report.log);
    if (news !== undefined) for (const peer of watchers) peer.send(news);
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
  const { steering, canSteer, command } = run;
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
    case 'set':
      refuse('be changed while it runs');
      change(question, run);
      break;
    default:
      throw new SyncerError(
        'unsupported',
        `unknown request "${(question as { ask?: unknown }).ask}"`,
      );
  }
  return statusOf(run);
}

function change(
  { transfers, bwlimit }: RunQuestion & { ask: 'set' },
  { steering, bandwidth }: ServedRun,
): void {
  if (transfers !== undefined && !(Number.isSafeInteger(transfers) && transfers > 0))
    throw new SyncerError('unsupported', 'transfers must be a number above 0');
  const rate = bwlimit === 'off' ? Number.POSITIVE_INFINITY : bwlimit;
  if (rate !== undefined && !(rate > 0))
    throw new SyncerError('unsupported', 'bwlimit must be above 0');
  if (transfers !== undefined) steering.places.set(transfers);
  if (rate !== undefined) bandwidth?.limitTo(rate);
}

function statusOf({ report, context, canSteer, steering, bandwidth }: ServedRun): RunStatus {
  const limit = bandwidth?.limit();
  return {
    nowMs: context.clock.monotonic(),
    progress: progressData(report.state, report.log.hide),
    canSteer,
    isPaused: steering.isPaused,
    isStopping: steering.stopping.aborted,
    transfers: steering.places.width,
    ...(limit === undefined ? {} : { bwlimit: Number.isFinite(limit) ? limit : 'off' }),
  };
}
