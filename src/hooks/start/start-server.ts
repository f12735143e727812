import { readFileSync } from 'node:fs';
import { loadPipes } from '../command/output-pipe.ts';
import type { FlagValues } from '../command-line/parse-flags.ts';
import { loadHooks } from '../file/load-hooks.ts';
import type { ConnectionLimits, RequestHandler } from '../http/serve-connection.ts';
import { HookLog, stamped } from '../log/hook-log.ts';
import { requestHandler } from '../server/handle-request.ts';
import { HookStore } from '../server/hook-store.ts';
import type { ServerOptions } from '../server/server-options.ts';
import { watchFiles } from '../server/watch-files.ts';
import { tlsOptions } from './cipher-suites.ts';
import { listen, plainConnections, type TakeConnection } from './listen.ts';
import { listenForSignals } from './listen-for-signals.ts';
import { openLog } from './open-log.ts';
import { writePidFile } from './pid-file.ts';

const HEAD_TIMEOUT_MS = 60_000;
const MAX_HEAD_BYTES = (1 << 20) + 4096;

/** The server cannot start; the message is for the log. */
class StartFault extends Error {}

/** Starts the server. Resolves to an exit code where it cannot be started, to nothing once it serves. */
export async function startServer(
  flags: FlagValues,
  version: string,
  process: NodeJS.Process,
): Promise<number | undefined> {
  const verbose = flags.verbose || flags.debug || flags.logfile !== '';
  let log = new HookLog(undefined);
  let removePidFile = async () => {};
  const { promise: ready, resolve: open } = Promise.withResolvers<TakeConnection>();
  try {
    const server = await listenOrFail(flags, ready);
    dropPrivileges(flags, process);
    log = openLogOrFail(flags, verbose);
    if (flags.pidfile !== '') removePidFile = await pidFileOrFail(flags.pidfile);
    log.line(`version ${version} starting`);
    log.line('setting up os signal watcher');
    const store = makeStore(flags, log, process);
    const exit = async (code: number) => {
      await removePidFile();
      process.exit(code);
    };
    listenForSignals(process, log, () => void store.reload(), exit);
    log.line('os signal watcher ready');
    if (flags.hotreload) watch(filesOf(flags), store, log);
    await store.loadAll();
    if (store.size === 0 && !verbose && !flags.nopanic) {
      process.stdout.write(stamped(NO_HOOKS));
      await removePidFile();
      return 1;
    }
    if (flags.hotreload) {
      for (const path of filesOf(flags)) log.line(`setting up file watcher for ${path}`);
    }
    const env = process.env;
    const makePipe = await loadPipes();
    const find = (id: string) => store.find(id);
    const handle = requestHandler({
      options: optionsOf(flags),
      log,
      findHook: find,
      env,
      makePipe,
    });
    const take = await connections(flags, handle);
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : flags.port;
    const prefix = flags.urlprefix === '' ? '' : `/${flags.urlprefix}`;
    const scheme = flags.secure ? 'https' : 'http';
    log.line(`serving hooks on ${scheme}://${flags.ip}:${port}${prefix}/{id}`);
    open(take);
    return undefined;
  } catch (thrown) {
    const text = thrown instanceof Error ? thrown.message : String(thrown);
    if (log.on) log.line(text);
    else process.stderr.write(stamped(text));
    await removePidFile();
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

function makeStore(flags: FlagValues, log: HookLog, { env }: NodeJS.Process): HookStore {
  const load = (path: string) => loadHooks(path, { template: flags.template, env });
  return new HookStore(filesOf(flags), load, log);
}

function watch(paths: readonly string[], store: HookStore, log: HookLog): void {
  watchFiles(
    paths.filter((path) => path !== ''),
    async (path) => {
      log.line(`hooks file ${path} modified`);
      await store.reload([path]);
    },
    (path) => {
      const kept = 'the hooks that were loaded from it stay in use until it is there again';
      log.line(`hooks file ${path} removed; ${kept}`);
    },
  );
}

function optionsOf(flags: FlagValues): ServerOptions {
  const methods = flags['http-methods'].split(',').map((method) => method.replace(/\s+/g, ''));
  return {
    urlPrefix: flags.urlprefix,
    headers: flags.header.map((text) => {
      const equals = text.indexOf('=');
      return { name: text.slice(0, equals), value: text.slice(equals + 1) };
    }),
    methods: methods.filter((method) => method !== '').map((method) => method.toUpperCase()),
    debug: flags.debug,
    useRequestId: flags['x-request-id'],
    requestIdLimit: flags['x-request-id-limit'],
    maxMultipartMem: flags['max-multipart-mem'],
    maxBody: flags['max-body'],
  };
}

async function listenOrFail(flags: FlagValues, ready: Promise<TakeConnection>) {
  const { ip, port } = flags;
  try {
    return await listen({ ip, port, maxConnections: flags['max-connections'] }, ready);
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    const reasons: Readonly<Record<string, string>> = {
      EADDRINUSE: 'bind: address already in use',
      EACCES: 'bind: permission denied',
      EADDRNOTAVAIL: 'bind: cannot assign requested address',
    };
    const why = reasons[code ?? ''] ?? message;
    const noPort = `error listening on port: listen tcp: address ${port}: invalid port`;
    if (code === 'ERR_SOCKET_BAD_PORT') throw new StartFault(noPort);
    const host = ip.includes(':') ? `[${ip}]` : ip;
    throw new StartFault(`error listening on port: listen tcp ${host}:${port}: ${why}`);
  }
}

function openLogOrFail(flags: FlagValues, verbose: boolean): HookLog {
  try {
    return openLog({ verbose, file: flags.logfile });
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'no such file or directory' : message;
    throw new StartFault(
      `error opening log file ${JSON.stringify(flags.logfile)}: open ${flags.logfile}: ${why}`,
    );
  }
}

async function pidFileOrFail(path: string): Promise<() => Promise<void>> {
  try {
    return await writePidFile(path);
  } catch (thrown) {
    throw new StartFault(`Error creating pidfile: ${(thrown as Error).message}`);
  }
}

function dropPrivileges({ setuid, setgid }: FlagValues, process: NodeJS.Process): void {
  if (setuid === 0) return;
  try {
    process.setgroups?.([setgid]);
    process.setgid?.(setgid);
    process.setuid?.(setuid);
  } catch (thrown) {
    throw new StartFault(`error dropping privileges: ${(thrown as Error).message}`);
  }
}

async function connections(flags: FlagValues, handle: RequestHandler): Promise<TakeConnection> {
  const limits: ConnectionLimits = {
    maxHeadBytes: MAX_HEAD_BYTES,
    headTimeoutMs: HEAD_TIMEOUT_MS,
    idleTimeoutMs: flags['idle-timeout'] * 1000,
  };
  if (!flags.secure) return plainConnections(handle, limits);
  const { tlsConnections } = await import('./tls-connections.ts');
  const options = tlsOptions(flags['tls-min-version'], flags['cipher-suites']);
  const cert = readPem(flags.cert);
  const key = readPem(flags.key);
  return tlsConnections({ ...options, cert, key }, handle, limits);
}

function readPem(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'no such file or directory' : message;
    throw new StartFault(`open ${path}: ${why}`);
  }
}
