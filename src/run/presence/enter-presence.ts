import { systemClock } from '../../core/context.ts';
import type { SyncerEvent } from '../../core/events.ts';
import { recordOf } from '../../shell/log/log-record.ts';
import { causeOf } from '../../shell/progress/failures.ts';
import { VERSION } from '../../shell/version.ts';
import { enterRun } from '../../state/enter-run.ts';
import { entryOf } from '../history/note-run.ts';
import { lockPlaces, notePlaces } from './lock-places.ts';
import type { EnteredRunPresence, PresentRun } from './presence.ts';
import { ownRunFolders } from './run-folders.ts';
import type { SentLine, WaitNote } from './run-protocol.ts';
import { type RunHandles, serveRun } from './serve-run.ts';

/** Puts a run on the list of running runs. Never rejects. */
export async function enterPresence(run: PresentRun): Promise<EnteredRunPresence> {
  const { id, command, report, canSteer, env, stores } = run;
  const server = serveRun({
    id,
    command,
    canSteer,
    version: VERSION,
    state: report.state,
    nowMs: () => systemClock.monotonic(),
    hide: report.log.hide,
    steering: handlesOf(run),
    listen: (listener) =>
      report.listen((event) => {
        const news = newsOf(event, report.log);
        if (news !== undefined) listener(news);
      }),
  });
  const entered = await enterRun(stores, ownRunFolders(env), entryOf(run), server.serve);
  return {
    lock: (places, waitMs) => lockPlaces({ run, entered }, places, waitMs),
    async note(changed) {
      if (changed === undefined || changed.isFile) return;
      await notePlaces({ run, entered }, changed).catch(() => {});
    },
    async end(exit) {
      server.end(exit);
      await entered.leave();
    },
  };
}

function handlesOf({ steering, bandwidth }: PresentRun): RunHandles {
  let isEnding = false;
  return {
    stopping: steering.stopping,
    places: steering.places,
    get isPaused() {
      return steering.isPaused;
    },
    pause: steering.pause,
    goOn: steering.goOn,
    stop: steering.stop,
    endNow() {
      // A second Ctrl-C would end the process before it has cleaned up.
      if (!isEnding) process.kill(process.pid, 'SIGINT');
      isEnding = true;
    },
    limitTo: (rate) => bandwidth?.limitTo(rate),
    limit: () => bandwidth?.limit(),
  };
}

/** What of an event is sent to watchers. */
function newsOf(
  event: SyncerEvent,
  { hide, shows }: PresentRun['report']['log'],
): { line: SentLine } | { wait: WaitNote } | undefined {
  if (event.type === 'wait') {
    const { why, ms, what, error } = event;
    const cause = error === undefined ? {} : { cause: hide(causeOf(error, undefined)) };
    return { wait: { why, ms, what, ...cause } };
  }
  if (event.type !== 'log' || !shows(event.level)) return undefined;
  const { level, path, message } = recordOf(event, 0);
  return { line: { level, ...(path === undefined ? {} : { path }), message: hide(message) } };
}
