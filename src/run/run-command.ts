import { findCacheDir, stateDir } from '../config/config-path.ts';
import { type Context, linkedAbort, RequestGate, systemClock } from '../core/context.ts';
import { isStop, SyncerError, toSyncerError } from '../core/errors.ts';
import { newRunId } from '../core/run-id.ts';
import {
  type CommandLine,
  type CommandSummary,
  type Invocation,
  type RemoteOpener,
  usageOf,
} from '../shell/command-line/command.ts';
import { variableMessages, withoutEffect } from '../shell/command-line/flag-notices.ts';
import { refuseExcluded } from '../shell/flags/exclusions.ts';
import { dumpList } from '../shell/log/dump-list.ts';
import { KnownSecrets } from '../shell/log/known-secrets.ts';
import { logText } from '../shell/log/log-text.ts';
import { shownWords } from '../shell/log/shown-words.ts';
import { usesColour } from '../shell/log/uses-colour.ts';
import { type BufferedOutput, createOutput, isReaderGone } from '../shell/output/output.ts';
import { delayTurboFan } from '../shell/process/delay-turbofan.ts';
import { exitNumber } from '../shell/process/end-process.ts';
import { limitHeapOf } from '../shell/process/limit-heap.ts';
import { memoryUse, openMemory, type RunMemory } from '../shell/process/memory-limit.ts';
import type { ProgramIo } from '../shell/process/program-io.ts';
import { failureText } from '../shell/progress/failures.ts';
import { VERSION } from '../shell/version.ts';
import { Stores } from '../state/stores.ts';
import { lazyJournal } from './history/lazy-journal.ts';
import { createInvocation, type GivenParts } from './invocation.ts';
import type { PresentRun } from './presence/presence.ts';
import { openReport, type RunReport } from './progress/run-report.ts';

/**
 * Runs a parsed command: opens the log, runs the command, closes everything and reports the result. Resolves to the
 * exit code; rejects with `usage` for contradictory flags.
 */
export async function runCommand(
  command: CommandSummary,
  line: CommandLine,
  commands: readonly CommandSummary[],
  io: ProgramIo,
): Promise<number> {
  const secrets = new KnownSecrets(io.argv, io.env);
  refuseExcluded(command, line, 'log');
  const startedMs = systemClock.now();
  const runId = newRunId(startedMs);
  const inHistory = command.changes === true && !line.flags['no-history'] ? runId : '';
  const report = await openReport(line, command, io, systemClock, secrets, inHistory);
  const stops: Stops = {
    readerGone: new AbortController(),
    outputFailed: new AbortController(),
    answered: new AbortController(),
  };
  const memory = openMemory(line.flags.memory, { clock: systemClock, emit: report.emit });
  limitHeapOf(memory?.limit);
  if (command.showsStats === true) delayTurboFan();
  const context = createContext(command, line, io, report, stops, memory);
  const out = openOutput(line, io, report, stops);
  const words = shownArguments(command, line, io, secrets);
  logStart(line, words, report);
  const { view, control } = report;
  if (memory !== undefined) view?.limitMemory(memory.limit);
  const folders = { state: stateDir(io.env), cache: findCacheDir(io.env, line.flags['cache-dir']) };
  const { emit, clock } = context;
  const stores = new Stores(folders, (text) => emit(logText('notice', text)), clock.now);
  const run = { id: runId, startedMs, words };
  const journal = lazyJournal(command, line, run, context, { env: io.env, stores });
  const bandwidth = await bandwidthOf(line, context, report, io);
  const presence = await presenceOf(command, line, report, {
    ...run,
    env: io.env,
    stores,
    context,
    bandwidth: bandwidth?.steered,
  });
  const given: GivenParts = {
    stores,
    runId,
    commands,
    context,
    bandwidth: bandwidth?.ofRun,
    control,
    holdLog: report.hold,
    holdClock: report.holdClock,
    changes: async (places) => presence?.changes(places),
    stepAside: view && (() => view.stepAside()),
    overview: view && ((lines) => view.showOverview(lines)),
  };
  const invocation = createInvocation({
    given,
    io,
    journal,
    line,
    words,
    out,
    secrets,
    end: (reason) => stops.answered.abort(reason),
    bandwidthLimit: bandwidth?.steered.limit,
    beforeInput: () => view?.leaveInput(),
  });
  const asked = ['ping-url', 'on-success', 'on-failure', 'on-change', 'quiet-unless'] as const;
  const isFollowed = line.flags.report.length > 0 || asked.some((flag) => line.flags[flag]);
  const { openAfterRun } = isFollowed ? await import('./reports/after-run.ts') : {};
  const followed = { ...run, line, report, context, secrets, env: io.env };
  const after = await openAfterRun?.(followed);
  const failure = await runAndClose(command, invocation, report, stops);
  await out.flush();
  const error = failure ?? reasonOf(stops.outputFailed.signal);
  report.finish(error);
  const outputClosed = stops.readerGone.signal.aborted;
  if (!outputClosed) tellEnding(report, command, error, invocation.remotes);
  const { lastError } = report.state;
  const used = memoryUse(memory?.limit);
  const interruption = reasonOf(io.signal);
  const exit = exitNumber({ thrown: error, lastError, interruption, outputClosed });
  const wasListed = await presence?.end(exit);
  const changes = await journal?.close();
  const { 'dry-run': isDry, review, save, 'no-history': isUnknown } = line.flags;
  // The clock of a plan that was not applied is still held.
  const isTrial = isDry || ((review || save !== undefined) && report.state.holds > 0);
  if ((command.showsStats === true || changes !== undefined) && !isUnknown) {
    const { noteRun } = await import('./history/note-run.ts');
    const last = error ?? lastError;
    const about = { exit, state: report.state, clock: systemClock, memory: used, changes, isTrial };
    const shown = last && secrets.hide(last.message);
    await noteRun(stores, io.env, { ...run, ...about, error: shown });
  } else if (wasListed) {
    const { forgetRun } = await import('./history/note-run.ts');
    await forgetRun(stores, runId);
  }
  const kept = isUnknown ? undefined : changes?.sum;
  const last = await after?.({ exit, error: error ?? lastError, memory: used, isTrial, kept });
  await stores.leave();
  report.log.close();
  return last ?? exit;
}

/**
 * What ends a run, apart from signals: the reader of standard output or standard error has closed it, standard output
 * cannot be written, the answer `q` to `--interactive`.
 */
type Stops = Readonly<Record<'readerGone' | 'outputFailed' | 'answered', AbortController>>;

function createContext(
  command: CommandSummary,
  { flags }: CommandLine,
  io: ProgramIo,
  report: RunReport,
  { readerGone, outputFailed, answered }: Stops,
  memory: RunMemory | undefined,
): Context {
  const interruption = command.endsItself === true ? [] : [io.signal];
  const stops = [readerGone.signal, outputFailed.signal, answered.signal];
  return {
    signal: linkedAbort(...interruption, ...stops).signal,
    clock: systemClock,
    emit: report.emit,
    setbacks: report.setbacks,
    lastWait: report.lastWait,
    requestGate: new RequestGate(),
    ...(memory && { memory }),
    verbose: report.log.shows('debug'),
    listCutoff: Math.min(flags['list-cutoff'], memory?.listCutoff ?? Number.POSITIVE_INFINITY),
  };
}

/** Opens standard output, and watches standard error, where a full disk ends nothing. */
function openOutput(
  { flags }: CommandLine,
  io: ProgramIo,
  report: RunReport,
  { readerGone, outputFailed }: Stops,
): BufferedOutput {
  const isTerminal = io.stdout.isTTY === true;
  const colour = usesColour(flags.color, io.env, isTerminal);
  io.stderr.on('error', (error) => {
    if (isReaderGone(error))
      readerGone.abort(new SyncerError('other', 'standard error was closed'));
  });
  const onClosed = (error: Error) => {
    if (isReaderGone(error))
      readerGone.abort(new SyncerError('other', 'standard output was closed'));
    else {
      const message = `cannot write to standard output: ${error.message}`;
      outputFailed.abort(new SyncerError('other', message));
    }
  };
  return createOutput(report.output, { colour, isTerminal }, onClosed, io.signal);
}

/** The words of the command line without secrets, for the log and the history. */
function shownArguments(
  { secretArg }: CommandSummary,
  { args }: CommandLine,
  { argv }: ProgramIo,
  secrets: KnownSecrets,
): readonly string[] {
  const secret = secretArg === undefined ? undefined : args[secretArg];
  if (secret !== undefined) secrets.add(secret);
  return shownWords(argv).map((word) => (word === secret ? 'REDACTED' : word));
}

/** Logs the variables in use, the command line, and flags that do nothing. */
function logStart(line: CommandLine, words: readonly string[], report: RunReport): void {
  for (const message of variableMessages(line.variables)) report.tell('debug', message);
  const parameters = ['syncer', ...words].map((word) => JSON.stringify(word)).join(' ');
  const message = `Version "v${VERSION}" starting with parameters [${parameters}]`;
  report.emit(logText('debug', message, 'syncer'));
  const { missed, logs, hints } = withoutEffect(line);
  const tellIgnored = (level: 'notice' | 'info', ignored: readonly string[]) => {
    if (ignored.length === 0) return;
    report.tell(level, `Ignored (accepted for rclone compatibility): ${ignored.join(', ')}`);
  };
  tellIgnored('notice', missed);
  // With --quiet, too: the log would be missed only when it is needed.
  for (const flag of logs)
    report.tell('error', `${flag} is ignored: the log goes to standard error or --log-file`);
  // Not a notice: cron would mail each of them.
  tellIgnored('info', hints);
}

/** Runs the command, then closes its remotes; resolves to the first error. */
async function runAndClose(
  command: CommandSummary,
  invocation: Invocation,
  report: RunReport,
  { answered }: Stops,
): Promise<SyncerError | undefined> {
  const { flags, out, remotes } = invocation;
  const dumps = dumpList(flags);
  const failure = await errorOf(async () => {
    const { name } = usageOf(command, invocation.args);
    refuseExcluded({ ...command, name }, invocation, 'run');
    if (dumps.has('filters')) await invocation.filter();
    const run = await command.load?.();
    await run?.(invocation);
  });
  if (dumps.has('goroutines') || dumps.has('openfiles')) {
    const { dumpAtEnd } = await import('../shell/log/dump-at-end.ts');
    await dumpAtEnd(dumps, (text) => out.write(text), report.tell);
  }
  const notClosed = await errorOf(async () => {
    await remotes.closeAll();
    const isFutile = command.transfersNothing === true && flags['error-on-no-transfer'];
    if (isFutile && failure === undefined)
      throw new SyncerError('no-transfer', 'no files transferred');
  });
  return (answered.signal.aborted ? undefined : failure) ?? notClosed;
}

/** The limit of bandwidth that can be changed, and the same as the run takes it, pauses included. */
async function bandwidthOf(
  { flags }: CommandLine,
  context: Context,
  { view, control, tell }: RunReport,
  { onToggle }: ProgramIo,
) {
  const { bwlimit, 'bwlimit-file': ofFile } = flags;
  if (bwlimit === undefined && ofFile === undefined && control === undefined) {
    onToggle?.(() => tell('debug', 'SIGUSR2 is ignored: no bandwidth limit is set'));
    return undefined;
  }
  const { bandwidthLimit, pausable } = await import('./remotes/rate-limits.ts');
  const steered = bandwidthLimit(bwlimit, ofFile, context);
  onToggle?.(steered.toggle);
  view?.steer(steered);
  return { steered, ofRun: control === undefined ? steered : pausable(steered, control) };
}

/** A run that is listed while it goes on; `undefined` for others. */
async function presenceOf(
  { name, listed }: CommandSummary,
  { flags }: CommandLine,
  report: RunReport,
  about: Omit<PresentRun, 'command' | 'report' | 'steering' | 'canSteer' | 'lock'>,
) {
  const { control: steering } = report;
  if (listed === undefined || steering === undefined) return undefined;
  const { startPresence } = await import('./presence/presence.ts');
  const { lock: isLocked, 'lock-wait': waitMs } = flags;
  const lock = isLocked || waitMs !== undefined ? { waitMs: waitMs ?? 0 } : undefined;
  const canSteer = listed === 'steered';
  return startPresence({ ...about, command: name, report, steering, canSteer, lock });
}

/** Runs `task`; resolves to its error. */
async function errorOf(task: () => Promise<void>): Promise<SyncerError | undefined> {
  try {
    await task();
    return undefined;
  } catch (thrown) {
    return toSyncerError(thrown);
  }
}

function reasonOf(signal: AbortSignal): SyncerError | undefined {
  return signal.aborted ? toSyncerError(signal.reason) : undefined;
}

/** Logs the last line of a run that failed, as rclone does, or was stopped, with advice. */
function tellEnding(
  report: RunReport,
  command: CommandSummary,
  thrown: SyncerError | undefined,
  remotes: RemoteOpener,
): void {
  const { errors, lastError } = report.state;
  const error = thrown ?? lastError;
  // `Quitting syncer now` was logged.
  if (error === undefined || error.code === 'quit') return;
  // On the screen the last lines of the view have told it.
  if (report.view === undefined && !report.isJson) {
    for (const failure of report.state.failures.byCause.values())
      if (failure.count > 1) report.tell('notice', failureText(failure));
  }
  const { message } = error;
  const meant = remotes.meantInstead(error);
  const hint = meant === undefined ? error.advice : `did you mean ${meant}?`;
  const advice = hint === undefined ? '' : `; ${hint}`;
  if (isStop(error)) {
    const sentence = message.charAt(0).toUpperCase() + message.slice(1);
    report.tell('notice', `${sentence}${advice}`, error);
    return;
  }
  const many = errors > 1 ? ` with ${errors} errors: last error was` : '';
  const ofNoun = many === '' ? command.name : `Failed to run ${command.name}`;
  const what = command.noun === true ? ofNoun : `Failed to ${command.name}`;
  report.tell('error', `${what}${many}: ${message}${advice}`, error);
}
