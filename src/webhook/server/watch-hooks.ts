import { type Clock, systemClock } from '../../core/context.ts';
import type { HookLog } from '../log/hook-log.ts';
import type { HookStore } from './hook-store.ts';
import { isBeingWritten } from './is-being-written.ts';
import { CLOSED_MS, LOOK_INTERVAL_MS, type LookOptions, lookAt, type Seen } from './look-at.ts';
import { PlaceWatcher } from './watch-places.ts';

/** Milliseconds between checks while all changes are reported, in case one is not. */
const RARE_INTERVAL_MS = 1000;
/** Milliseconds from an event to a check, and how many follow one another to see that a file has settled. */
const SOON_MS = 25;
const SOON_LOOKS = 8;

/**
 * Reads files of hooks again when they change, or a file that they refer to. Resolves when nothing can be missed.
 *
 * @param isValid whether the content of a hook file can be loaded
 */
export async function watchHooks(
  paths: readonly string[],
  store: HookStore,
  log: HookLog,
  isValid: (content: Buffer) => Promise<boolean>,
): Promise<void> {
  const files = paths.filter((path) => path !== '');
  const isOfHooks = new Set(files);
  await watchFiles(
    () => [...files, ...store.references],
    async (path) => {
      const what = isOfHooks.has(path) ? 'hooks file' : 'file that hooks refer to,';
      log.line(`${what} ${path} modified`);
      await store.reload(isOfHooks.has(path) ? [path] : store.filesThatReferTo(path));
    },
    (path, why) => {
      const what = isOfHooks.has(path) ? 'hooks file' : 'file that hooks refer to,';
      const kept = 'its hooks stay in use until it is back';
      store.report(`${what} ${path} ${why ? `cannot be read: ${why}` : 'removed'}; ${kept}`);
    },
    {
      isWritten: isBeingWritten,
      isValid: async (path, content) =>
        !isOfHooks.has(path) || (await isValid(Buffer.from(content, 'latin1'))),
    },
  );
}

/** How files are watched. */
export interface WatchOptions extends Pick<LookOptions, 'isWritten' | 'isValid'> {
  readonly clock?: Clock;
}

/**
 * Checks files by name, when the kernel reports a change on the way to them and at intervals, so that it does not matter
 * whether they are written in place, replaced by a rename, or reached through links that change. Calls `changed` when
 * the content of a file is another and has settled, `gone` when a file is missing or, with the reason, cannot be read.
 * Resolves after the first check: later changes will be seen.
 *
 * @param paths called before each check
 * @returns stops it
 */
export async function watchFiles(
  paths: () => readonly string[],
  changed: (path: string) => Promise<void>,
  gone: (path: string, why?: string) => void,
  { clock = systemClock, ...how }: WatchOptions = {},
): Promise<() => void> {
  const known = new Map<string, Seen>();
  let isStopped = false;
  let soonLooks = 0;
  let wake = () => {};
  const places = new PlaceWatcher(() => {
    soonLooks = SOON_LOOKS;
    wake();
  });
  /** Gives the milliseconds until the next check without an event. */
  const look = async (isTick: boolean): Promise<number> => {
    const all = paths();
    // First: what changes during the check is reported again.
    const watched = await places.follow(all);
    for (const path of all) {
      await lookAt(path, known, changed, gone, { ...how, isTick, now: clock.monotonic() });
    }
    if (watched === 'new') soonLooks ||= 1;
    const changes = all.flatMap((path) => known.get(path)?.changedAt ?? []);
    const waits = changes.map((at) => at + CLOSED_MS - clock.monotonic()).filter((ms) => ms > 0);
    const isSettled = watched !== 'part' && changes.length === 0;
    return Math.min(isSettled ? RARE_INTERVAL_MS : LOOK_INTERVAL_MS, ...waits);
  };
  /** Resolves after the time, or, if it is long, at an event. */
  const pause = async (ms: number, isLong: boolean) => {
    const event = new AbortController();
    wake = () => (isLong || isStopped) && event.abort();
    await clock.sleep(ms, event.signal).catch(() => {});
  };
  const lookOn = async (firstMs: number) => {
    let tickAt = clock.monotonic() + firstMs;
    while (!isStopped) {
      const isSoon = soonLooks > 0;
      const leftMs = Math.max(0, tickAt - clock.monotonic());
      await pause(isSoon ? Math.min(SOON_MS, leftMs) : leftMs, !isSoon);
      const isTick = clock.monotonic() >= tickAt;
      if (isStopped || (!isSoon && !isTick)) continue;
      if (isSoon) soonLooks--;
      const nextMs = await look(isTick);
      const nextAt = clock.monotonic() + nextMs;
      tickAt = isTick ? nextAt : Math.min(tickAt, nextAt);
    }
    places.close();
  };
  void lookOn(await look(true));
  return () => {
    isStopped = true;
    wake();
  };
}
