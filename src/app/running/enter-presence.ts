import { hostname } from 'node:os';
import { systemClock } from '../../core/context.ts';
import { SyncerError } from '../../core/errors.ts';
import type { SyncerEvent } from '../../core/events.ts';
import { ownMark } from '../../kit/owner-state.ts';
import { causeOf } from '../../progress/failures.ts';
import { enterRun } from '../../running/enter-run.ts';
import type { RunEntry } from '../../running/run-entry.ts';
import { ownRunFolders } from '../../running/run-folders.ts';
import type { SentLine, WaitNote } from '../../running/run-protocol.ts';
import { type RunHandles, serveRun } from '../../running/serve-run.ts';
import { workingDir } from '../history/note-run.ts';
import { recordOf } from '../log/log-record.ts';
import { VERSION } from '../version.ts';
import { lockPlaces, notePlaces } from './lock-places.ts';
import type { EnteredRunPresence, PresentRun } from './presence.ts';

/** Puts a run on the list of running runs. Never rejects: without a directory for it the run is not listed. */
export async function enterPresence(run: PresentRun): Promise<EnteredRunPresence> {
  const { id, command, report, canSteer, env } = run;
  const server = serveRun({
    ...{ id, command, canSteer, version: VERSION },
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
  const entry = entryOf(run);
  const entered = await enterRun(ownRunFolders(env), entry, server.serve).catch(() => undefined);
  return {
    async lock(places, waitMs) {
      if (entered === undefined) {
        const why = 'there is no directory for the list of running runs';
        throw new SyncerError('other', `cannot lock: ${why}; set XDG_RUNTIME_DIR or HOME`);
      }
      await lockPlaces({ run, entry, entered }, places, waitMs);
    },
    async note(changed) {
      if (entered === undefined || changed === undefined || changed.isFile) return;
      await notePlaces({ run, entry, entered }, changed).catch(() => {});
    },
    async end(exit) {
      server.end(exit);
      await entered?.leave();
    },
  };
}

function entryOf({ id, startedMs, words }: PresentRun): RunEntry {
  const owner = { mark: ownMark(), pid: process.pid, host: hostname() };
  return { id, ...owner, startedMs, words, dir: workingDir() };
}

function handlesOf({ steering, bandwidth }: PresentRun): RunHandles {
  let isEnding = false;
  return {
    ...{ stopping: steering.stopping, places: steering.places },
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
