import { resolve } from 'node:path';
import { parseRemoteSpec } from '../../config/remote-spec.ts';
import { wholeSource } from '../../core/body.ts';
import type { Context } from '../../core/context.ts';
import { SyncerError, toSyncerError } from '../../core/errors.ts';
import { modTimeFromMs } from '../../core/mod-time.ts';
import type { CommandLine, RemoteOpener } from '../../shell/command-line/command.ts';
import type { KnownSecrets } from '../../shell/log/known-secrets.ts';
import { shownWords } from '../../shell/log/shown-words.ts';
import { elapsedMs } from '../../shell/progress/progress-state.ts';
import { replaceFile } from '../../state/replace-file.ts';
import type { RunReport } from '../progress/run-report.ts';
import { splitFileSpec } from '../remotes/file-or-directory.ts';
import { createOpener } from '../remotes/open-remote.ts';
import { transportOptions } from '../remotes/transport-options.ts';
import { ChangeRecorder } from './change-recorder.ts';
import { openPings, type Pings } from './ping.ts';
import { reportPage } from './report-page.ts';
import { type ReportedEnd, type ReportRecord, reportRecord, summaryText } from './report-record.ts';
import { runHookCommand } from './run-hook-command.ts';

/** What follows a run: its reports, the last ping, and the user's commands. */
export interface AfterRun {
  /** Resolves to the exit code: 1 if a run that went well has a report that could not be written. */
  end(end: Omit<ReportedEnd, 'endedMs' | 'tookMs'>): Promise<number>;
}

/** What a run is, for what follows it. */
export interface FollowedRun {
  readonly id: string;
  readonly beganMs: number;
  /** The words of the command line without secrets. */
  readonly words: readonly string[];
  readonly line: CommandLine;
  readonly report: RunReport;
  readonly context: Context;
  readonly env: NodeJS.ProcessEnv;
  readonly secrets: KnownSecrets;
}

/** Listens to a run, and sends the first ping. Rejects with `usage` for a wrong URL. */
export async function openAfterRun(run: FollowedRun): Promise<AfterRun> {
  const { line, report, context, env, secrets, id, words, beganMs } = run;
  const { flags } = line;
  const { clock } = context;
  const recorder = new ChangeRecorder(/^(move|convmv)/.test(line.command ?? ''));
  const stopListening = report.listen((event) => recorder.note(event));
  const pings = await startPings(run);
  return {
    async end(end) {
      stopListening();
      recorder.finish();
      const hide = (text: string) => secrets.hide(text);
      const [endedMs, tookMs] = [clock.now(), elapsedMs(report.state, clock.monotonic())];
      const start = { id, words, args: line.args, beganMs, hide };
      const full = { ...end, endedMs, tookMs: Math.round(tookMs) };
      const record = reportRecord(start, full, report.state, recorder);
      const isWritten = await writeReports(run, record, recorder);
      const exit = end.exit === 0 && !isWritten ? 1 : end.exit;
      const final: ReportRecord =
        exit === end.exit ? record : { ...record, exit, result: 'failure' };
      if (!end.isTrial) await runCommands(flags, env, report, final, recorder.hasChanges);
      await pings?.end(exit, summaryText(final));
      showHeld(report, flags['quiet-unless'], exit !== 0, recorder.hasChanges);
      return exit;
    },
  };
}

/** A run that changes nothing is no run of the job that a service monitors. */
async function startPings({
  line,
  report,
  context,
  env,
  secrets,
}: FollowedRun): Promise<Pings | undefined> {
  const { 'ping-url': url, 'dry-run': isDry } = line.flags;
  if (!url || isDry) return undefined;
  // It may be in the file of defaults.
  shownWords(['--ping-url', url], (secret) => secrets.add(secret));
  const transport = await transportOptions(line.flags, env, context.clock, context.emit);
  try {
    const pings = openPings(url, transport, (message) => report.tell('notice', message));
    void pings.start();
    return pings;
  } catch (thrown) {
    throw new SyncerError('usage', `--ping-url: ${secrets.hide(toSyncerError(thrown).message)}`);
  }
}

/** Writes all reports; resolves to whether all were written. */
async function writeReports(
  { line, report, context, env, secrets }: FollowedRun,
  record: ReportRecord,
  recorder: ChangeRecorder,
): Promise<boolean> {
  const open = (signal: AbortSignal) =>
    createOpener(line, { ...context, signal, emit: () => {} }, env, secrets);
  let areWritten = true;
  for (const target of line.flags.report) {
    const text = isPage(target)
      ? reportPage(record, recorder.changes)
      : `${JSON.stringify(record, undefined, 2)}\n`;
    try {
      await writeReport(target, text, open, context);
    } catch (thrown) {
      areWritten = false;
      report.tell('error', secrets.hide(toSyncerError(thrown).message));
    }
  }
  return areWritten;
}

async function runCommands(
  flags: CommandLine['flags'],
  env: NodeJS.ProcessEnv,
  report: RunReport,
  record: ReportRecord,
  hasChanges: boolean,
): Promise<void> {
  const wanted = [
    ['on-change', hasChanges],
    ['on-success', record.exit === 0],
    ['on-failure', record.exit !== 0],
  ] as const;
  for (const [flag, isDue] of wanted) {
    const command = flags[flag];
    if (!isDue || !command) continue;
    const text = `${JSON.stringify(record)}\n`;
    const failure = await runHookCommand(command, text, record, env);
    if (failure !== undefined) report.tell('notice', `The command of --${flag} failed: ${failure}`);
  }
}

function showHeld(
  report: RunReport,
  unless: 'error' | 'change' | undefined,
  hasFailed: boolean,
  hasChanges: boolean,
): void {
  if (hasFailed || (unless === 'change' && hasChanges)) report.showHeld();
}

/** Opens remotes for reports: those of the run are closed, and its signal may be aborted. */
type OpenRemotes = (signal: AbortSignal) => RemoteOpener;

/** The longest time for a report to a remote, in milliseconds. */
const MOST_MS = 60_000;

/**
 * Writes a report to a local file or to `remote:path`. It has its name only when it is whole. Rejects with the reason,
 * which names the target.
 */
async function writeReport(
  target: string,
  text: string,
  open: OpenRemotes,
  { clock }: Pick<Context, 'clock'>,
): Promise<void> {
  const body = Buffer.from(text);
  try {
    const isLocal = parseRemoteSpec(target).name === '';
    if (isLocal) await replaceFile(resolve(target), body, { mode: 0o666 });
    else await toRemote(target, body, open, clock.now());
  } catch (thrown) {
    const { code, message } = toSyncerError(thrown);
    throw new SyncerError(code, `cannot write the report to ${target}: ${message}`, {
      cause: thrown,
    });
  }
}

/** Whether a report is a page: its name says so. */
function isPage(target: string): boolean {
  return /\.html?$/i.test(target);
}

async function toRemote(
  target: string,
  body: Buffer,
  open: OpenRemotes,
  nowMs: number,
): Promise<void> {
  const signal = AbortSignal.timeout(MOST_MS);
  const remotes = open(signal);
  try {
    const { dir, leaf } = splitFileSpec(target);
    const remote = await remotes.openDir(dir);
    const mimeType = isPage(target) ? 'text/html; charset=utf-8' : 'application/json';
    const modTime = modTimeFromMs(nowMs);
    await remote.write(wholeSource({ path: leaf, modTime, mimeType }, body), { signal });
  } catch (thrown) {
    throw signal.aborted ? new SyncerError('timed-out', 'it took too long') : thrown;
  } finally {
    await remotes.closeAll().catch(() => {});
  }
}
