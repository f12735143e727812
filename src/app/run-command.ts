import { type Context, systemClock } from '../core/context.ts';
import { SyncerError, toSyncerError } from '../core/errors.ts';
import { linkedAbort } from '../kit/linked-abort.ts';
import type { CommandSummary } from './command.ts';
import type { CommandLine } from './command-line/parse-command-line.ts';
import type { Flags } from './flags/flag-table.ts';
import { createInvocation } from './invocation.ts';
import { dumpList } from './log/dump-list.ts';
import { openReport, type RunReport } from './log/run-report.ts';
import { shownWords } from './log/shown-words.ts';
import { usesColour } from './log/uses-colour.ts';
import { variableMessages } from './log/variable-messages.ts';
import { createOutput, isReaderGone } from './output/output.ts';
import { exitNumber } from './process/exit-number.ts';
import { limitHeapLater } from './process/limit-heap.ts';
import type { ProgramIo } from './process/program-io.ts';
import { VERSION } from './version.ts';
import { withoutEffect } from './without-effect.ts';

/**
 * Runs a command whose line was read: opens the log, runs it, closes everything and tells how it went.
 * Resolves to the exit number; rejects with `usage` where flags contradict each other.
 */
export async function runCommand(
  command: CommandSummary,
  line: CommandLine,
  commands: readonly CommandSummary[],
  io: ProgramIo,
): Promise<number> {
  const report = await openReport(line, command.showsStats === true, io, systemClock);
  const closed = new AbortController();
  const full = new AbortController();
  const ended = new AbortController();
  let setbacks = 0;
  const breaking = command.endsItself === true ? [] : [io.signal];
  const context: Context = {
    signal: linkedAbort(...breaking, closed.signal, full.signal, ended.signal).signal,
    clock: systemClock,
    emit(event) {
      if (event.type === 'wait') setbacks++;
      report.emit(event);
    },
    setbacks: () => setbacks,
    verbose: report.log.shows('debug'),
  };
  const isTerminal = io.stdout.isTTY === true;
  const colour = usesColour(line.flags.color, io.env, isTerminal);
  const out = createOutput(report.output, { colour, isTerminal }, (error) => {
    if (isReaderGone(error)) {
      closed.abort(new SyncerError('other', 'standard output was closed'));
    } else {
      full.abort(new SyncerError('other', `cannot write to standard output: ${error.message}`));
    }
  });
  // A log that cannot be written for lack of space ends nothing.
  io.stderr.on('error', (error) => {
    if (!isReaderGone(error)) return;
    closed.abort(new SyncerError('other', 'standard error was closed'));
  });
  const secret = command.secretArg === undefined ? undefined : line.args[command.secretArg];
  const shown = shownWords(io.argv).map((word) => (word === secret ? 'REDACTED' : word));
  const parameters = ['syncer', ...shown].map((word) => JSON.stringify(word)).join(' ');
  for (const message of variableMessages(line.variables)) report.tell('debug', message);
  const message = `Version "v${VERSION}" starting with parameters [${parameters}]`;
  report.emit({ type: 'log', level: 'debug', path: 'syncer', message });
  const { missed, hints } = withoutEffect(line);
  const tellIdle = (level: 'notice' | 'info', idle: readonly string[]) => {
    const message = `Ignored (accepted for rclone compatibility): ${idle.join(', ')}`;
    if (idle.length > 0) report.tell(level, message);
  };
  tellIdle('notice', missed);
  // A mail from cron for each of them would be worse than silence.
  tellIdle('info', hints);
  const bandwidth = await bandwidthOf(line.flags, context, report);
  const { invocation, close } = createInvocation({
    io,
    line,
    commands,
    context,
    out,
    end: (reason) => ended.abort(reason),
    bandwidth,
    control: report.control,
    holdLog: report.hold,
    beforeInput: () => report.view?.leaveInput(),
    stepAside: report.view?.stepAside,
  });
  limitHeapLater();
  const dumps = dumpList(line.flags);
  const failure = await run(async () => {
    if (dumps.has('filters')) await invocation.filter();
    const { run } = await command.load();
    await run(invocation);
  });
  const thrown = ended.signal.aborted ? undefined : failure;
  if (dumps.has('goroutines') || dumps.has('openfiles')) {
    const { dumpAtEnd } = await import('./log/dump-at-end.ts');
    await dumpAtEnd(dumps, { write: (text) => out.write(text), tell: report.tell });
  }
  const notClosed = await run(async () => {
    await close();
    const isFutile = command.transfersNothing === true && line.flags['error-on-no-transfer'];
    if (isFutile && failure === undefined) {
      throw new SyncerError('no-transfer', 'no files transferred');
    }
  });
  await out.flush();
  const notWritten = full.signal.aborted ? toSyncerError(full.signal.reason) : undefined;
  const error = thrown ?? notClosed ?? notWritten;
  report.finish(error);
  const outputClosed = closed.signal.aborted;
  if (!outputClosed) tellFailure(report, command.name, error);
  report.log.close();
  const interruption = io.signal.aborted ? toSyncerError(io.signal.reason) : undefined;
  const { lastError } = report.state;
  const exit = exitNumber({ thrown: error, lastError, interruption, outputClosed });
  if (command.showsStats === true && !line.flags['no-history']) {
    const { noteRun } = await import('./history/note-run.ts');
    const told = error ?? lastError;
    const { state } = report;
    await noteRun(io.env, { words: shown, exit, state, clock: systemClock, error: told });
  }
  return exit;
}

async function bandwidthOf(flags: Flags, context: Context, { view, control }: RunReport) {
  const { bwlimit, 'bwlimit-file': ofFile } = flags;
  if (bwlimit === undefined && !ofFile && control === undefined) return undefined;
  const { bandwidthLimit, pausable } = await import('./remotes/rate-limits.ts');
  const limit = bandwidthLimit(bwlimit, ofFile, context);
  if (control === undefined) return limit;
  view?.steer(limit);
  return pausable(limit, control);
}

/** Runs `task` to its end; resolves to what it threw. */
async function run(task: () => Promise<void>): Promise<SyncerError | undefined> {
  try {
    await task();
    return undefined;
  } catch (thrown) {
    return toSyncerError(thrown);
  }
}

/** The last line of a run that failed, as rclone has it, with what to do about it. */
function tellFailure(report: RunReport, name: string, thrown: SyncerError | undefined): void {
  const { errors, lastError } = report.state;
  const error = thrown ?? lastError;
  if (error === undefined) return;
  const many = errors > 1 ? ` with ${errors} errors: last error was` : '';
  const advice = error.advice === undefined ? '' : `; ${error.advice}`;
  report.tell('error', `Failed to ${name}${many}: ${error.message}${advice}`, error);
}
