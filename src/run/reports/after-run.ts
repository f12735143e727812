import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { HttpClient } from '../../backends/http/http-client.ts';
import type { HttpRequest } from '../../backends/http/http-request.ts';
import type { TransportOptions } from '../../backends/http/network-options.ts';
import { parseRemoteSpec } from '../../config/remote-spec.ts';
import { wholeSource } from '../../core/body.ts';
import { type Context, systemClock } from '../../core/context.ts';
import { SyncerError, toSyncerError } from '../../core/errors.ts';
import type { Emit } from '../../core/events.ts';
import { modTimeFromMs } from '../../core/mod-time.ts';
import { type RetryPolicy, requestPolicy, retry } from '../../core/retry.ts';
import type { RemoteOpener } from '../../shell/command-line/command.ts';
import { environmentVariables } from '../../shell/command-line/flag-value.ts';
import { REPORT_FLAGS } from '../../shell/flags/run-flags.ts';
import { shownWords } from '../../shell/log/shown-words.ts';
import { parseHttpUrl, requestOf } from '../../shell/url-request.ts';
import { replaceFile } from '../../state/replace-file.ts';
import { endGroup } from '../../system/ask-program.ts';
import { exactCommand } from '../../system/exact-command.ts';
import { splitFileSpec } from '../remotes/file-or-directory.ts';
import { RunOpener } from '../remotes/open-remote.ts';
import { transportOptions } from '../remotes/transport-options.ts';
import { reportPage } from './report-page.ts';
import {
  ChangeRecorder,
  type FollowedRun,
  type ReportedEnd,
  type ReportRecord,
  reportRecord,
  summaryText,
} from './report-record.ts';

/** What follows a run. Resolves to the exit code: 1 if a run that went well has a report that could not be written. */
export type AfterRun = (end: ReportedEnd) => Promise<number>;

/**
 * Listens to a run, and sends the first ping; what follows are its reports, the last ping, and the user's commands.
 * Rejects with `usage` for a wrong URL.
 */
export async function openAfterRun(run: FollowedRun): Promise<AfterRun> {
  const { line, report, env } = run;
  const { flags } = line;
  const recorder = new ChangeRecorder(line.summary?.moves !== undefined);
  const stopListening = report.listen((event) => recorder.note(event));
  const ping = await startPings(run);
  return async (end) => {
    stopListening();
    recorder.finish();
    const record = reportRecord(run, end, recorder);
    const isWritten = await writeReports(run, record, recorder);
    const exit = end.exit === 0 && !isWritten ? 1 : end.exit;
    const final: ReportRecord = exit === end.exit ? record : { ...record, exit, result: 'failure' };
    const wanted = [
      ['on-change', recorder.hasChanges],
      ['on-success', exit === 0],
      ['on-failure', exit !== 0],
    ] as const;
    for (const [flag, isDue] of end.isTrial ? [] : wanted) {
      const command = flags[flag];
      if (!isDue || !command) continue;
      const failure = await runHookCommand(command, final, env);
      if (failure !== undefined)
        report.tell('notice', `The command of --${flag} failed: ${failure}`);
    }
    await ping?.(exit, summaryText(final));
    const unless = flags['quiet-unless'];
    if (exit !== 0 || (unless === 'change' && recorder.hasChanges)) report.showHeld();
    return exit;
  };
}

/** A run that changes nothing is no run of the job that a service monitors. */
async function startPings({
  line,
  report,
  context,
  env,
  secrets,
}: FollowedRun): Promise<LastPing | undefined> {
  const { 'ping-url': url, 'dry-run': isDry } = line.flags;
  if (!url || isDry) return undefined;
  // It may be in the file of defaults.
  shownWords(['--ping-url', url], (secret) => secrets.add(secret));
  const transport = await transportOptions(line.flags, env, context.clock, context.emit);
  try {
    return openPings(url, transport, context, (message) => report.tell('notice', message));
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
  // Remotes of their own: those of the run are closed, and its signal may be aborted.
  const open = (signal: AbortSignal) =>
    new RunOpener({ line, context: { ...context, signal, emit: () => {} }, env, secrets });
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

/**
 * Writes a report to a local file or to `remote:path`. It has its name only when it is whole. Rejects with the reason,
 * which names the target.
 */
async function writeReport(
  target: string,
  text: string,
  open: (signal: AbortSignal) => RemoteOpener,
  { clock }: Context,
): Promise<void> {
  const body = Buffer.from(text);
  const toRemote = async () => {
    const signal = AbortSignal.timeout(60_000);
    const remotes = open(signal);
    try {
      const { dir, leaf } = splitFileSpec(target);
      const remote = await remotes.openDir(dir);
      const mimeType = isPage(target) ? 'text/html; charset=utf-8' : 'application/json';
      const modTime = modTimeFromMs(clock.now());
      await remote.write(wholeSource({ path: leaf, modTime, mimeType }, body), { signal });
    } catch (thrown) {
      throw signal.aborted ? new SyncerError('timed-out', 'it took too long') : thrown;
    } finally {
      await remotes.closeAll().catch(() => {});
    }
  };
  try {
    const isLocal = parseRemoteSpec(target).name === '';
    if (isLocal) await replaceFile(resolve(target), body, { mode: 0o666 });
    else await toRemote();
  } catch (thrown) {
    const { code, message } = toSyncerError(thrown);
    const text = `cannot write the report to ${target}: ${message}`;
    throw new SyncerError(code, text, { cause: thrown });
  }
}

/** Whether a report is a page: its name says so. */
const isPage = (target: string): boolean => /\.html?$/i.test(target);

/**
 * Runs a command of the user with the shell, for a minute at most: the report is its standard input, and its output goes
 * to standard error. Resolves to what went wrong, `undefined` if nothing did. Never rejects.
 */
async function runHookCommand(
  command: string,
  record: ReportRecord,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  // A command that runs syncer would run itself.
  const hidden = Object.entries(REPORT_FLAGS).flatMap(([key, definition]) =>
    environmentVariables({ key, name: key, definition }),
  );
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => !hidden.includes(name)));
  const start = exactCommand({
    file: '/bin/sh',
    args: ['-c', command],
    env: { ...own, ...variablesOf(record) },
  });
  const child = spawn(start.file, start.args, {
    env: start.env,
    stdio: ['pipe', 2, 2],
    // A process group of its own: a Ctrl-C for syncer is not for it, and all of it can be ended.
    detached: true,
  });
  // A command that does not read its input is fine.
  child.stdin?.on('error', () => {});
  child.stdin?.end(`${JSON.stringify(record)}\n`);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    endGroup(child.pid);
  }, 60_000);
  const ended = await new Promise<string | undefined>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('exit', (code, signal) =>
      resolve(code === 0 ? undefined : `it ended with ${signal ?? `exit code ${code}`}`),
    );
  });
  clearTimeout(timer);
  return isLate ? 'it was ended after 60 seconds' : ended;
}

/** What a command gets of the run; no flag of syncer has such a name. */
export function variablesOf(record: ReportRecord): Record<string, string> {
  const { run, exit, result, command, counts, bytes, error } = record;
  return {
    SYNCER_RUN_ID: run,
    SYNCER_RUN_EXIT: `${exit}`,
    SYNCER_RUN_RESULT: result,
    SYNCER_RUN_COMMAND: command[0] ?? '',
    SYNCER_RUN_COPIED: `${counts.copied + counts.replaced + counts.moved}`,
    SYNCER_RUN_DELETED: `${counts.deleted}`,
    SYNCER_RUN_ERRORS: `${counts.errors}`,
    SYNCER_RUN_BYTES: `${bytes.transferred}`,
    SYNCER_RUN_ERROR: error?.message ?? '',
  };
}

/** All tries of a ping together may take so long, in milliseconds; their number, and the pause between two. */
const [PING_MS, TRIES, PAUSE_MS] = [10_000, 3, 500];

/** Sends the last ping of a run to a service that monitors jobs, after the first one. Never rejects. */
type LastPing = (exit: number, body: string) => Promise<void>;

/**
 * Sends the first ping of a run. Pings are as healthchecks.io and compatible services take them: `URL/start`, then
 * `URL/EXIT-CODE` with a summary, both with the same `rid`, which has to be a UUID and so is not the id of the run. Throws
 * `usage` if the URL is none.
 *
 * @param onFailure called once with why a ping failed, without the path of the URL, which is a secret
 */
function openPings(
  text: string,
  transport: TransportOptions,
  { emit }: Context,
  onFailure: (message: string) => void,
): LastPing {
  const base = parseHttpUrl(text);
  const rid = randomUUID();
  const http = new HttpClient(transport, { monotonic: () => performance.now() });
  let isTold = false;
  const send = async (suffix: string, about: string) => {
    const url = new URL(base.href);
    url.pathname = `${url.pathname.replace(/\/+$/, '')}/${suffix}`;
    url.searchParams.set('rid', rid);
    const plain = requestOf(url, transport.userAgent);
    // healthchecks keeps the first 100 kB of a body.
    const body = Buffer.from(about).subarray(0, 100_000);
    const headers = {
      ...plain.headers,
      'content-type': 'text/plain; charset=utf-8',
      'content-length': `${body.length}`,
    };
    try {
      const request = { ...plain, method: 'POST', isSecretTarget: true, headers, body } as const;
      await sendWithTries(http, request, `ping ${base.host}`, emit);
    } catch (thrown) {
      const { message } = toSyncerError(thrown);
      if (!isTold) onFailure(`The ping to ${base.host} failed: ${message}`);
      isTold = true;
    }
  };
  const started = send('start', '');
  return async (exit, body) => {
    await started;
    await send(`${exit}`, body);
    http.close();
  };
}

async function sendWithTries(
  http: HttpClient,
  request: HttpRequest,
  what: string,
  emit: Emit,
): Promise<void> {
  const until = performance.now() + PING_MS;
  let isRefused = false;
  const send = async (attempt: number) => {
    // A server that does not answer leaves time for another try.
    const left = Math.max(1, until - performance.now());
    const signal = AbortSignal.timeout(Math.ceil(left / (TRIES - attempt + 1)));
    let status: number;
    try {
      const answer = await http.send(request, signal);
      answer.discard();
      status = answer.status;
    } catch (thrown) {
      throw signal.aborted ? new SyncerError('timed-out', 'no answer in time') : thrown;
    }
    if (status >= 200 && status < 300) return;
    isRefused = status < 500 && status !== 429;
    throw new SyncerError('server', `the server answered with status ${status}`);
  };
  await retry(send, {
    tries: TRIES,
    what,
    // The end of the run is no reason to end its last ping.
    signal: new AbortController().signal,
    context: { clock: systemClock, emit },
    policy: pingPolicy,
    giveUp: () => isRefused || performance.now() + PAUSE_MS >= until,
    // The requests of the run do not slow down.
    onWait: () => {},
  });
}

/** Whatever went wrong, soon. */
const pingPolicy: RetryPolicy = { ...requestPolicy, mayHelp: () => true, waitMs: () => PAUSE_MS };
