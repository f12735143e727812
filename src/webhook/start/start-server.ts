import { openSync, readFileSync } from 'node:fs';
import { userText } from '../../core/user-text.ts';
import { goErrno } from '../../go/go-errno.ts';
import { openStarter } from '../command/open-starter.ts';
import { serverEnvironment } from '../command/server-environment.ts';
import type { FlagValues } from '../command-line/parse-flags.ts';
import type { ControlServices } from '../control/answer-control.ts';
import { loadHooks } from '../file/load-hooks.ts';
import type { ConnectionLimits, RequestHandler } from '../http/connection.ts';
import { Activity } from '../http/connection.ts';
import { serveHttp, type TakeConnection } from '../http/serve-http.ts';
import { connectionFaults, HookLog, logTo, stamped } from '../log/hook-log.ts';
import { HookRuns, type RunOptions } from '../run/hook-runs.ts';
import { HookStore } from '../server/hook-store.ts';
import { requestHandler } from '../server/request-handler.ts';
import { rerun } from '../server/rerun.ts';
import { serverOptions, statusPages } from '../server/server-options.ts';
import { watchHooks } from '../server/watch-hooks.ts';
import { withStatusPages } from '../status/status-handler.ts';
import { tlsOptions } from './cipher-suites.ts';
import { discardQueued, finishRequests, listenForSignals } from './finish-requests.ts';
import { listServer } from './list-server.ts';
import { controlPath, openControl } from './open-control.ts';
import { openListeners } from './open-listeners.ts';
import { openStatus, statusSources } from './open-status.ts';
import { writePidFile } from './pid-file.ts';

const LIMITS = { maxHeadBytes: (1 << 20) + 4096, headTimeoutMs: 60_000 };

/** Runs the server. Resolves to the exit code when it cannot start or a signal has ended it. */
export function startServer(
  flags: FlagValues,
  version: string,
  process: NodeJS.Process,
): Promise<number> {
  return new Promise((end, fail) => {
    void serve(flags, version, process, end).then((code) => {
      if (code !== undefined) end(code);
    }, fail);
  });
}

/** Starts the server. Resolves to an exit code if it cannot be started, to nothing once it serves. */
async function serve(
  flags: FlagValues,
  version: string,
  process: NodeJS.Process,
  end: (code: number) => void,
): Promise<number | undefined> {
  const verbose = flags.verbose || flags.debug || flags.logfile !== '';
  let log = new HookLog(undefined);
  const faults = new HookLog((text) => void process.stderr.write(text));
  const undo: (() => Promise<void> | void)[] = [];
  const undoAll = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  const { promise: ready, resolve: open } = Promise.withResolvers<TakeConnection>();
  const { promise: control, resolve: openToControl } = Promise.withResolvers<ControlServices>();
  try {
    const activity = new Activity();
    const listeners = await openListeners(flags, process, ready, activity);
    undo.push(() => {
      const left = listeners.close();
      if (left !== undefined) log.line(left);
    });
    const status = await openStatus(flags.status, activity);
    undo.push(status.close);
    dropPrivileges(flags, process);
    if (flags.control !== '') undo.push(await openControl(flags.control, process, control));
    undo.push(listServer(process, controlPath(flags.control, process)));
    log = logTo(openLog(flags, verbose));
    if (flags.pidfile !== '') undo.push(await writePidFile(flags.pidfile));
    log.line(`version ${version} starting`);
    log.line('setting up os signal watcher');
    const store = makeStore(flags, log, faults, process);
    const starter = await openStarter(process);
    const runs = new HookRuns({ env: serverEnvironment(process.env), starter }, runOptions(flags));
    const warn = (line: string) => {
      log.line(line);
      if (!log.on || flags.logfile !== '') faults.line(line);
    };
    const work = { activity, queues: runs.queues, starter, warn };
    const stop = async () => {
      listeners.close();
      await finishRequests(work, flags['stop-timeout'] * 1000);
      await undoAll();
      end(0);
    };
    const quit = (code: number) => {
      discardQueued(work);
      void undoAll().then(() => end(code));
    };
    listenForSignals(process, log, { reload: () => void store.reload(), stop, quit });
    log.line('os signal watcher ready');
    const paths = filesOf(flags);
    if (flags.hotreload) await watchHooks(paths, store, log);
    await store.loadAll();
    if (store.size === 0 && !verbose && !flags.nopanic) {
      process.stdout.write(stamped(NO_HOOKS));
      await undoAll();
      return 1;
    }
    if (flags.hotreload) {
      for (const path of paths) log.line(`setting up file watcher for ${path}`);
    }
    openToControl({
      ledger: runs.ledger,
      hooks: () => store.hooks,
      secrets: () => log.secrets,
      onReload: (listener) => store.onReload(listener),
      rerun: (run, hook, request) => rerun(run, hook, request, { log, runs }),
    });
    const sources = statusSources(runs, store, activity);
    const answer = requestHandler({
      ...{ options: serverOptions(flags), log, findHook: (id) => store.find(id), runs },
    });
    const handle = withStatusPages(answer, statusPages(flags), sources);
    const limits = { ...LIMITS, idleTimeoutMs: flags['idle-timeout'] * 1000, activity };
    const take = await connections(flags, handle, { ...limits, onFault: connectionFaults(log) });
    status.open(sources);
    const prefix = flags.urlprefix === '' ? '' : `/${flags.urlprefix}`;
    const scheme = flags.secure ? 'https' : 'http';
    log.line(`serving hooks on ${scheme}://${listeners.shown}${prefix}/{id}`);
    open(take);
    return undefined;
  } catch (thrown) {
    const text = thrown instanceof Error ? thrown.message : String(thrown);
    (log.on ? log : faults).line(text);
    await undoAll();
    return 1;
  }
}

const NO_HOOKS = [
  "couldn't load any hooks from file!",
  'aborting webhook execution since the -verbose flag is set to false.',
  'If, for some reason, you want webhook to start without the hooks, either use -verbose flag, or -nopanic',
].join('\n');

function filesOf(flags: FlagValues): readonly string[] {
  return flags.hooks.length === 0 ? ['hooks.json'] : flags.hooks;
}

function makeStore(
  flags: FlagValues,
  log: HookLog,
  faults: HookLog,
  { env }: NodeJS.Process,
): HookStore {
  const load = (path: string, again: boolean) =>
    loadHooks(path, { template: flags.template, env, regularOnly: again });
  return new HookStore(filesOf(flags), load, log, (line) => faults.line(line));
}

/** The descriptor that the log is written to; `undefined` where there is no log. */
function openLog({ logfile }: FlagValues, verbose: boolean): number | undefined {
  if (!verbose) return undefined;
  try {
    return logfile === '' ? 2 : openSync(logfile, 'a', 0o666);
  } catch (thrown) {
    const why = `open ${logfile}: ${goErrno(thrown)}`;
    throw new Error(`error opening log file ${JSON.stringify(logfile)}: ${why}`, { cause: thrown });
  }
}

function dropPrivileges({ setuid, setgid }: FlagValues, process: NodeJS.Process): void {
  if (setuid === 0) return;
  try {
    process.setgroups?.([setgid]);
    process.setgid?.(setgid);
    process.setuid?.(setuid);
  } catch (thrown) {
    throw new Error(`error dropping privileges: ${(thrown as Error).message}`);
  }
}

function runOptions(flags: FlagValues): RunOptions {
  const keepsOutput = flags.control !== '';
  const keepsRuns = keepsOutput || flags.status !== '';
  return {
    maxCommands: flags['max-commands'],
    history: flags.history,
    keepsRuns,
    keepsOutput,
    counts: keepsRuns || flags.metrics,
  };
}

async function connections(
  flags: FlagValues,
  handle: RequestHandler,
  limits: ConnectionLimits,
): Promise<TakeConnection> {
  const serve = serveHttp(handle, limits);
  if (!flags.secure) return serve;
  const { certificateFault, tlsConnections } = await import('./tls-connections.ts');
  const options = tlsOptions(flags['tls-min-version'], flags['cipher-suites']);
  const pair = { cert: readPem(flags.cert), key: readPem(flags.key) };
  const fault = certificateFault(pair, flags);
  if (fault !== undefined) throw new Error(`error loading the certificate: ${fault}`);
  return tlsConnections({ ...options, ...pair }, serve, limits.headTimeoutMs);
}

function readPem(path: string): string {
  try {
    return userText(readFileSync(path));
  } catch (thrown) {
    throw new Error(`open ${path}: ${goErrno(thrown)}`);
  }
}
