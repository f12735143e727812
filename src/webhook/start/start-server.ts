import { chmod, lstat, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { umask } from 'node:process';
import { goErrno } from '../../go/go-texts.ts';
import { makeFolder } from '../../system/make-folder.ts';
import { readRegularFile } from '../../system/read-whole.ts';
import { openUnblocked, unblockedDescriptor } from '../../system/unblocked-log.ts';
import { openStarter } from '../command/open-starter.ts';
import { serverEnvironment } from '../command/server-environment.ts';
import {
  type ControlServices,
  serveControl,
  serverControlPath,
} from '../control/answer-control.ts';
import { decodeHookText, loadHooks } from '../file/load-hooks.ts';
import type { FlagValues } from '../flag-table.ts';
import { textAnswer } from '../http/answer.ts';
import {
  Activity,
  type ConnectionLimits,
  serveHttp,
  type TakeConnection,
} from '../http/connection.ts';
import { HookLog, hookLogFile, stamped, writesTo } from '../log/hook-log.ts';
import { type StatusSources, withStatusPages } from '../report/status-handler.ts';
import { HookRuns } from '../run/hook-runs.ts';
import { rerun } from '../server/answer-hook.ts';
import { HookStore } from '../server/hook-store.ts';
import { requestHandler, serverOptions } from '../server/request-handler.ts';
import { watchHooks } from '../server/watch-hooks.ts';
import { admitUsr1, discardQueued, finishRequests, listenForSignals } from './finish-requests.ts';
import { listen, listenAtPath, openListeners } from './open-listeners.ts';

/** Runs the server. Resolves to the exit code when it cannot start or a signal has ended it. */
export function startServer(flags: FlagValues, version: string, process: NodeJS.Process) {
  const { promise: ended, resolve: end } = Promise.withResolvers<number>();
  const started = serve(flags, version, process, end);
  return Promise.race([ended, started.then((code) => code ?? ended)]);
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
  // Opened before privileges are dropped: the terminal is the user's who started the server.
  const stderr = hookLogFile(unblockedDescriptor(2));
  process.once('exit', () => stderr.flush());
  const faults = new HookLog(writesTo(stderr));
  const undo: (() => Promise<void> | void)[] = [];
  const undoAll = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  const { promise: ready, resolve: open } = Promise.withResolvers<TakeConnection>();
  const { promise: control, resolve: openToControl } = Promise.withResolvers<ControlServices>();
  try {
    const activity = new Activity();
    const listeners = await openListeners(flags, process, ready, activity);
    const closes = (close: () => string | undefined) => () => {
      const left = close();
      if (left !== undefined) log.line(left);
    };
    undo.push(closes(listeners.close));
    const status = await openStatus(flags.status, activity);
    undo.push(closes(status.close));
    // The key may be root's only. What is wrong with it is reported in its turn.
    const tls = flags.secure ? await import('./server-certificate.ts') : undefined;
    const certificate = tls?.readCertificate(flags);
    await certificate?.catch(() => {});
    const writePid = async (write = writePidFile) => {
      if (flags.pidfile !== '') undo.push(await write(flags.pidfile));
    };
    const dropsRoot = flags.setuid !== 0 && process.geteuid?.() === 0;
    if (dropsRoot) await writePid((path) => writePidFileAs(flags, process, path));
    dropPrivileges(flags, process);
    if (flags.control !== '') undo.push(await openControl(flags.control, process, control));
    const say = (text: string) => (log.on ? log : faults).line(text);
    undo.push(listServer(process, controlPath(flags.control, process), say));
    const logFile = flags.logfile === '' ? stderr : hookLogFile(openLogFile(flags.logfile));
    if (logFile !== stderr) process.once('exit', () => logFile.flush());
    if (verbose) log = new HookLog(writesTo(logFile));
    if (!dropsRoot) await writePid();
    log.line(`version ${version} starting`);
    log.line('setting up os signal watcher');
    const paths = flags.hooks.length === 0 ? ['hooks.json'] : flags.hooks;
    const reading = { template: flags.template, env: process.env };
    const load = (path: string, again: boolean) =>
      loadHooks(path, { ...reading, regularOnly: again });
    const store = new HookStore(paths, load, log, (line) => faults.line(line));
    const starter = await openStarter(process);
    const keepsOutput = flags.control !== '';
    const keepsRuns = keepsOutput || flags.status !== '';
    const runs = new HookRuns(
      { env: serverEnvironment(process.env), starter },
      {
        maxCommands: flags['max-commands'],
        history: flags.history,
        keepsRuns,
        keepsOutput,
        counts: keepsRuns || flags.metrics,
      },
    );
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
    const reopenLog = () => {
      if (flags.logfile === '') return;
      try {
        logFile.replace(openLogFile(flags.logfile));
      } catch (thrown) {
        warn(`${(thrown as Error).message}; the log continues in the file that is open`);
      }
    };
    let renew = async () => {};
    const reload = () => void store.reload().then(renew);
    listenForSignals(process, log, { reopenLog, reload, stop, quit });
    const usr1Fault = await admitUsr1();
    if (usr1Fault !== undefined) warn(usr1Fault);
    log.line('os signal watcher ready');
    if (flags.hotreload) {
      const isValid = (content: Buffer) =>
        decodeHookText(content, { ...reading, regularOnly: true }).then(
          () => true,
          () => false,
        );
      await watchHooks(paths, store, log, isValid);
    }
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
    const sources = { runs, store, activity, startedMs: Date.now() };
    const answer = requestHandler({
      options: serverOptions(flags),
      log,
      findHook: (id) => store.find(id),
      runs,
    });
    const pages = (['healthz', 'metrics'] as const).filter((page) => flags[page]);
    const handle = withStatusPages(answer, pages, sources);
    const limits: ConnectionLimits = {
      maxHeadBytes: (1 << 20) + 4096,
      headTimeoutMs: 60_000,
      idleTimeoutMs: flags['idle-timeout'] * 1000,
      activity,
      onFault(thrown) {
        const why = thrown instanceof Error ? thrown.message : String(thrown);
        log.line(`connection closed after an internal error: ${why}`);
      },
    };
    const plain = serveHttp(handle, limits);
    const pair = await certificate;
    const report = { log: (line: string) => log.line(line), warn };
    const secure = pair && tls?.secureConnections(flags, pair, plain, limits, report);
    if (secure !== undefined) renew = secure.renew;
    if (flags.hotreload) await secure?.watch();
    status.open(sources);
    const prefix = flags.urlprefix === '' ? '' : `/${flags.urlprefix}`;
    const scheme = flags.secure ? 'https' : 'http';
    log.line(`serving hooks on ${scheme}://${listeners.shown}${prefix}/{id}`);
    open(secure?.take ?? plain);
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

/** Opens the file of the log. Throws an error that says why it cannot. */
function openLogFile(path: string): number {
  try {
    return openUnblocked(path, 0o666);
  } catch (thrown) {
    const why = `open ${path}: ${goErrno(thrown)}`;
    throw new Error(`error opening log file ${JSON.stringify(path)}: ${why}`, { cause: thrown });
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

/**
 * Puts the server on the list of `syncer ps` after its first second.
 *
 * @param control the path of its control socket
 * @param say says why it is not listed
 * @returns takes it off the list
 */
function listServer(
  process: NodeJS.Process,
  control: string | undefined,
  say: (text: string) => void,
): () => Promise<void> {
  const { argv, env, pid, cwd } = process;
  const startedMs = Date.now();
  const enter = async () => {
    const { hostname } = await import('node:os');
    const { resolve } = await import('node:path');
    const { ownMark } = await import('../../system/owner-state.ts');
    const { newRunId } = await import('../../core/run-id.ts');
    const { enterRun } = await import('../../state/enter-run.ts');
    const { stateDir } = await import('../../config/config-path.ts');
    const { dropRun } = await import('../../state/runs.ts');
    const { Stores } = await import('../../state/stores.ts');
    const stores = new Stores({ state: stateDir(env), cache: undefined }, say);
    const id = newRunId(startedMs);
    const { leave } = await enterRun(stores, [], {
      id,
      mark: ownMark(),
      pid,
      host: hostname(),
      startedMs,
      words: argv.slice(2),
      program: 'webhook',
      dir: cwd(),
      ...(control === undefined ? {} : { control: resolve(control) }),
    });
    return async () => {
      await leave();
      await stores.tryState('"syncer ps" lists this server for now', (database) =>
        dropRun(database, id),
      );
      await stores.leave();
    };
  };
  let entered: Promise<(() => Promise<void>) | undefined> | undefined;
  const timer = setTimeout(() => {
    entered = enter().catch(() => undefined);
  }, 1_000).unref();
  return async () => {
    clearTimeout(timer);
    await (await entered)?.();
  };
}

/**
 * Writes the number of this process to a file that must not name another living one; whatever else it holds is
 * replaced. Rejects with an error that says why it cannot be written.
 *
 * @returns deletes the file, if it still holds that number
 */
export async function writePidFile(path: string): Promise<() => Promise<void>> {
  const own = String(process.pid);
  const before = await textIn(path);
  // The own number is that of a former process, as in a container, where it is always the same.
  if (isAlive(before) && before.trim() !== own) {
    throw new Error(
      `Error creating pidfile: pid file found, ensure webhook is not running or delete ${path}`,
    );
  }
  try {
    await makeFolder(dirname(path), 0o755);
    const found = await lstat(path).catch(() => undefined);
    if (found?.isFIFO() || found?.isSocket() || found?.isBlockDevice()) {
      throw new Error(`${path} is not a regular file`);
    }
    // Devices are written to, and stay.
    const isDevice = found?.isCharacterDevice() === true;
    if (!isDevice) await rm(path, { force: true });
    await writeFile(path, own, { mode: 0o600, flag: isDevice ? 'w' : 'wx' });
  } catch (thrown) {
    const { syscall, path: folder = '' } = thrown as NodeJS.ErrnoException;
    const tried = syscall === 'mkdir' ? `mkdir ${folder}` : `open ${path}`;
    throw new Error(`Error creating pidfile: ${tried}: ${goErrno(thrown)}`, { cause: thrown });
  }
  return async () => {
    if ((await textIn(path)) === own) await rm(path, { force: true });
  };
}

/**
 * Writes a pid file before privileges are dropped: as the user of the server, or, where that one may not, as root; such
 * a file stays when the server ends.
 */
async function writePidFileAs(
  { setuid, setgid }: FlagValues,
  process: NodeJS.Process,
  path: string,
): Promise<() => Promise<void>> {
  const gid = process.getegid?.() ?? 0;
  process.setegid?.(setgid);
  process.seteuid?.(setuid);
  try {
    return await writePidFile(path);
  } catch (thrown) {
    const cause = (thrown as Error).cause as NodeJS.ErrnoException | undefined;
    if (cause?.code !== 'EACCES' && cause?.code !== 'EPERM') throw thrown;
  } finally {
    process.seteuid?.(0);
    process.setegid?.(gid);
  }
  await writePidFile(path);
  return async () => {};
}

async function textIn(path: string): Promise<string> {
  return await readRegularFile(path).then(String, () => '');
}

/** Whether the process lives that a pid file names, as Go reads it. */
function isAlive(text: string): boolean {
  const pid = /^[+-]?\d+$/.test(text.trim()) ? Number(text) : 0;
  if (pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The path of a control socket that was asked for by its path or `auto`; `undefined` if there is none. */
function controlPath(wanted: string, { env, getuid }: Pick<NodeJS.Process, 'env' | 'getuid'>) {
  if (wanted === 'auto') return serverControlPath(env, getuid?.() ?? -1);
  return wanted === '' ? undefined : wanted;
}

/**
 * Opens the control socket, which only the user of the server may use. Rejects with an error for the log.
 *
 * @param wanted its path, or `auto`
 * @returns takes it away
 */
async function openControl(
  wanted: string,
  process: Pick<NodeJS.Process, 'env' | 'getuid'>,
  services: Promise<ControlServices>,
): Promise<() => void> {
  const path = controlPath(wanted, process);
  if (path === undefined) {
    throw new Error(
      'error opening the control socket: neither RUNTIME_DIRECTORY nor XDG_RUNTIME_DIR is set; give its path',
    );
  }
  const before = umask(0o077);
  try {
    const take = services.then((found) => (socket: Parameters<typeof serveControl>[0]) => {
      serveControl(socket, found);
    });
    if (wanted === 'auto') await makeFolder(dirname(path), 0o700);
    // No other user may connect before the mode of the socket is set.
    umask(0o177);
    const { close } = await listenAtPath({ path, maxConnections: 64 }, take);
    await chmod(path, 0o600);
    // What stays is replaced by the next server.
    return () => void close();
  } catch (thrown) {
    const why = (thrown as Error).message;
    throw new Error(`error opening the control socket: ${why}`, { cause: thrown });
  } finally {
    umask(before);
  }
}

/**
 * Listens at the address for pages about the server: what connects waits until it is opened. Rejects with an error for
 * the log.
 *
 * @param address `ip:port`, `unix:/path`; empty: none
 */
async function openStatus(address: string, activity: Activity) {
  // Each HTTP server has a timer of its own.
  if (address === '') return { open: (_: StatusSources) => {}, close: () => undefined };
  const { promise: ready, resolve } = Promise.withResolvers<TakeConnection>();
  const forOne = { maxHeadBytes: 64 << 10, headTimeoutMs: 10_000, idleTimeoutMs: 60_000 };
  const open = (sources: StatusSources) => {
    const notFound = async () => textAnswer(404, '404 page not found\n');
    const handle = withStatusPages(notFound, ['healthz', 'metrics', 'status'], sources);
    resolve(serveHttp(handle, { ...forOne, activity }));
  };
  const limits = { maxConnections: 100 };
  try {
    if (address.startsWith('unix:')) {
      const path = address.slice('unix:'.length);
      const { close } = await listenAtPath({ path, ...limits }, ready);
      return { open, close };
    }
    const [, ip = '', port] = /^(.*):(\d+)$/.exec(address) ?? [];
    if (port === undefined) throw new Error('it must be ip:port or unix:/path');
    const host = ip.replace(/^\[|\]$/g, '');
    const server = await listen({ host, port: Number(port), ...limits }, ready);
    const close = () => {
      server.close();
      return undefined;
    };
    return { open, close };
  } catch (thrown) {
    const why = (thrown as Error).message;
    throw new Error(`error listening on -status ${address}: ${why}`, { cause: thrown });
  }
}
