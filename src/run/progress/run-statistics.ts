import { type Clock, timerMs } from '../../core/context.ts';
import { defined } from '../../core/defined.ts';
import { hasCode, type SyncerError } from '../../core/errors.ts';
import { formatByGoLayout } from '../../go/format-by-go-layout.ts';
import type { CommandSummary } from '../../shell/command-line/command.ts';
import type { Flags } from '../../shell/flags/flag-table.ts';
import { type RunLog, toLogLevel } from '../../shell/log/run-log.ts';
import { progressLines, progressOneLine } from '../../shell/progress/progress-lines.ts';
import {
  currentRate,
  elapsedMs,
  type ProgressState,
  RATE_TICK_MS,
  runSecondsLeft,
  secondsLeft,
  skipTick,
  tickRates,
  totalBytes,
  totalChecks,
  totalTransfers,
} from '../../shell/progress/progress-state.ts';
import type { ProgressView } from './progress-view.ts';

/** How the statistics of a run are logged. */
export type StatisticsSettings = Readonly<ReturnType<typeof statisticsSettings>>;

/**
 * Reads the flags of statistics. They are logged for commands that show them, with `--stats`, and with `-P` without a
 * terminal, then at a level that is shown; never of a run that only others work on.
 */
export function statisticsSettings(
  flags: Flags,
  given: ReadonlySet<string>,
  showsStats: CommandSummary['showsStats'],
  onTerminal: boolean,
) {
  const isOfOthers =
    showsStats === 'never' || (flags.queue !== undefined && (flags['no-work'] || flags.detach));
  const instead = flags.progress && !onTerminal;
  const wanted = toLogLevel(flags['stats-log-level']);
  const raised =
    flags['dry-run'] || flags.interactive || (instead && !given.has('stats-log-level'));
  const level = raised && wanted !== 'error' ? 'notice' : wanted;
  const ownLayout = flags['stats-one-line-date-format'] ?? '';
  const dateLayout = ownLayout || (flags['stats-one-line-date'] ? '2006/01/02 15:04:05 - ' : '');
  return {
    style: {
      unit: flags['stats-unit'],
      nameLength: flags['stats-file-name-length'],
      mostNamed: Math.max(16, flags.transfers ?? 0, flags.checkers ?? 0),
    },
    oneLine: flags['stats-one-line'] || dateLayout !== '',
    /** The start of the one line: a layout of Go's times. */
    dateLayout,
    /** Level of the log lines; `undefined`: none are logged. */
    level: !isOfOthers && (showsStats || instead || given.has('stats')) ? level : undefined,
    /** Time between two of them in milliseconds; 0: none. */
    intervalMs: flags.stats,
  };
}

/** The statistics line by line, by `settings`. */
export function statisticsLines(
  state: ProgressState,
  clock: Clock,
  { style, oneLine, dateLayout }: StatisticsSettings,
): readonly string[] {
  const now = clock.monotonic();
  if (!oneLine) return progressLines(state, now, style);
  return [formatByGoLayout(clock.now(), dateLayout) + progressOneLine(state, now, style)];
}

/**
 * Starts the timers that keep speeds and log statistics; none of them keeps the program alive. The returned function
 * ends them, and the view with its summary; it logs the last statistics.
 */
export function startStatistics(
  state: ProgressState,
  clock: Clock,
  settings: StatisticsSettings,
  log: RunLog,
  view: ProgressView | undefined,
  isPaused: () => boolean,
): (thrown?: SyncerError) => void {
  const { level, intervalMs } = settings;
  const logNow = () => {
    if (level === undefined || !log.shows(level)) return;
    const stats = progressJson(state, clock.monotonic(), log.hide);
    const text = statisticsLines(state, clock, settings).join('\n');
    const message = settings.oneLine ? `${text}\n` : `\n${text}\n\n`;
    log.write({ timeMs: clock.now(), level, message, lines: true, fields: { stats } });
  };
  const tick = () => {
    if (isPaused()) skipTick(state, clock.monotonic());
    else tickRates(state, clock.monotonic());
    view?.tick();
  };
  const timers = [setInterval(tick, RATE_TICK_MS)];
  if ((view === undefined || log.toFile) && intervalMs > 0 && level !== undefined)
    timers.push(setInterval(logNow, timerMs(intervalMs)));
  for (const timer of timers) timer.unref();
  return (thrown) => {
    state.hasEnded = true;
    for (const timer of timers) clearInterval(timer);
    view?.finish(thrown);
    const isTold = view !== undefined && !log.toFile;
    const { listed, checks, transfers, bytes, deletedFiles, deletedDirs, errors } = state;
    const isIdle = listed + checks + transfers + bytes + deletedFiles + deletedDirs === 0;
    const refusals = ['command-line', 'usage', 'config', 'config-password'] as const;
    // The command line or the configuration was wrong, and nothing has begun.
    const isRefusal = hasCode(thrown, ...refusals, 'unknown-remote', 'locked') && errors <= 1;
    if (isTold || (isRefusal && isIdle)) return;
    if (intervalMs > 0 || errors > 0) logNow();
  };
}

/** The statistics as data, under the names rclone gives them in its JSON log; times in seconds. `hide` hides secrets. */
export function progressJson(
  state: ProgressState,
  nowMs: number,
  hide: (text: string) => string,
): Record<string, unknown> {
  const active = [...state.active.values()];
  const checking = active.filter(({ kind }) => kind === 'check').map(({ path }) => path);
  const transferring = active.filter(({ kind }) => kind !== 'check');
  const now = elapsedMs(state, nowMs);
  const { source, dest } = state.sides;
  const sides = defined({ dstFs: dest && hide(dest), srcFs: source && hide(source) });
  return {
    bytes: state.bytes,
    ...(checking.length > 0 ? { checking } : {}),
    checks: state.checks,
    deletedDirs: state.deletedDirs,
    deletes: state.deletedFiles,
    elapsedTime: now / 1000,
    errors: state.errors,
    eta: runSecondsLeft(state, nowMs) ?? null,
    fatalError: state.fatalError,
    ...(state.lastError === undefined ? {} : { lastError: hide(state.lastError.message) }),
    listed: state.listed,
    renames: state.renames,
    // Not rclone's: only if there are some.
    ...(state.retriesSucceeded > 0 ? { retriesSucceeded: state.retriesSucceeded } : {}),
    retryError: state.retryError,
    serverSideCopies: state.serverCopies,
    serverSideCopyBytes: state.serverCopyBytes,
    serverSideMoveBytes: state.serverMoveBytes,
    serverSideMoves: state.serverMoves,
    speed: currentRate(state, nowMs),
    totalBytes: totalBytes(state),
    totalChecks: totalChecks(state),
    totalTransfers: totalTransfers(state),
    transferTime: (state.busyMs + now - (state.busySinceMs ?? now)) / 1000,
    ...(transferring.length > 0
      ? {
          transferring: transferring.map(({ path, bytes, size, rate, startedMs }) => ({
            bytes,
            ...sides,
            eta: secondsLeft(bytes, size, rate) ?? null,
            group: 'global_stats',
            name: path,
            percentage: size > 0 ? Math.trunc((100 * bytes) / size) : 0,
            size,
            speed: now > startedMs ? (1000 * bytes) / (now - startedMs) : 0,
            speedAvg: rate,
          })),
        }
      : {}),
    transfers: state.transfers,
  };
}
