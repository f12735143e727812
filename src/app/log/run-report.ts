import type { Clock } from '../../core/context.ts';
import type { SyncerError } from '../../core/errors.ts';
import type { LogLevel, SyncerEvent } from '../../core/events.ts';
import { nameFromBytes, nameToBytes } from '../../core/name-bytes.ts';
import { timeLeft } from '../../progress/progress-lines.ts';
import {
  addError,
  applyEvent,
  type ProgressState,
  startProgress,
} from '../../progress/progress-state.ts';
import { startTerminalProgress, type TerminalProgress } from '../../progress/terminal-progress.ts';
import type { CommandLine } from '../command-line/parse-command-line.ts';
import type { Flags } from '../flags/flag-table.ts';
import type { OutputStream } from '../output/output.ts';
import type { ProgramIo } from '../process/program-io.ts';
import { dumpList } from './dump-list.ts';
import { logSettings, openRunLog, type RunLog } from './run-log.ts';
import { startStatistics, statisticsLines, statisticsSettings } from './run-statistics.ts';

/** All that people are told of a run: its log, its statistics and the progress block. */
export interface RunReport {
  readonly state: ProgressState;
  readonly log: RunLog;
  /** Where the command's own output goes: standard output, or the place above the progress block. */
  readonly output: OutputStream;
  emit(event: SyncerEvent): void;
  tell(level: LogLevel, message: string, error?: SyncerError): void;
  /** Counts the error the run ended with, where there is one, and tells the last statistics. */
  finish(thrown: SyncerError | undefined): void;
}

/** Opens log, statistics and progress as the flags want them. Throws `usage` where these make no sense. */
export function openReport(
  line: CommandLine,
  showsStats: boolean,
  io: ProgramIo,
  clock: Clock,
): RunReport {
  const { flags, given } = line;
  const logging = logSettings(flags, given);
  const state = startProgress(clock.monotonic());
  // A block that is drawn again and again leaves no place for questions and answers.
  const onTerminal = io.stdout.isTTY === true && !flags.interactive;
  const settings = statisticsSettings(flags, given, showsStats, onTerminal);
  const block =
    flags.progress && onTerminal
      ? startTerminalProgress(
          terminalOf(io),
          () => statisticsLines(state, clock, settings),
          flags['progress-terminal-title']
            ? () => `ETA: ${timeLeft(state, clock.monotonic())}`
            : undefined,
        )
      : undefined;
  const log = openRunLog(logging, (text) => {
    if (block === undefined) io.stderr.write(nameToBytes(text));
    else block.print(text);
  });
  tellDump(flags, (message) => log.write({ timeMs: clock.now(), level: 'notice', message }));
  const statistics = startStatistics(state, clock, settings, log, block);
  const tell = (level: LogLevel, message: string, error?: SyncerError) =>
    log.write({ timeMs: clock.now(), level, message, ...(error === undefined ? {} : { error }) });
  return {
    state,
    log,
    output: block === undefined ? io.stdout : aboveBlock(block),
    tell,
    emit(event) {
      applyEvent(state, event);
      if (event.type === 'log') log.write({ ...event, timeMs: clock.now() });
      else if (event.type === 'wait') tell('debug', waitMessage(event));
    },
    finish(thrown) {
      // That there are differences sums up what was counted one by one.
      if (thrown !== undefined && (thrown.code !== 'differences' || state.errors === 0))
        addError(state, thrown);
      statistics.finish();
    },
  };
}

/** What rclone tells of `--dump` before anything else. */
function tellDump(flags: Flags, tell: (message: string) => void): void {
  for (const what of ['headers', 'bodies'] as const) {
    const obsolete = `--dump-${what} is obsolete - please use --dump ${what} instead`;
    if (flags[`dump-${what}`]) tell(obsolete);
  }
  if (dumpList(flags).size === 0 || flags.verbose >= 2 || flags['log-level'] === 'debug') return;
  tell('Automatically setting -vv as --dump is enabled');
}

function waitMessage({ why, ms, what }: SyncerEvent & { type: 'wait' }): string {
  const reason = why === 'throttled' ? 'asked to slow down' : 'trying again';
  return `${what}: ${reason} in ${Math.round(ms)}ms`;
}

function terminalOf({ stdout }: ProgramIo) {
  return {
    write: (text: string) => void stdout.write(nameToBytes(text), () => {}),
    size: () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 }),
  };
}

function aboveBlock(block: TerminalProgress): OutputStream {
  return {
    write(chunk, done) {
      block.print(nameFromBytes(chunk));
      done();
      return true;
    },
    on: () => undefined,
  };
}
