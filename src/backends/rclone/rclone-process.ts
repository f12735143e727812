import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { hash, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { Context } from '../../core/context.ts';
import { hasCode, SyncerError } from '../../core/errors.ts';
import { jsonObject } from '../../core/json-object.ts';
import { type RetryPolicy, requestPolicy, retry } from '../../core/retry.ts';
import { delayMaglev } from '../../system/v8-flags.ts';
import type { RcloneSettings } from '../backend.ts';
import { type HttpAnswer, readWhole } from '../http/answer.ts';
import { HttpClient } from '../http/http-client.ts';
import type { Origin } from '../http/http-request.ts';
import { CallQueue } from './call-queue.ts';
import { answerIn, infoOf, type RcloneAnswer, type RcloneInfo } from './rclone-answers.ts';
import { rcloneError } from './rclone-error.ts';
import { RcloneLog, toRunLog } from './rclone-log.ts';
import { checkVersion, hasBatches, rcloneStart, versionOf } from './rclone-program.ts';

/** The name of the socket in the directory of a running rclone. */
const SOCKET = 'rc';
/** How long to wait for the answer whether rclone still answers, in milliseconds. */
const ANSWER_MS = 20_000;
/** How often rclone is started again without a successful call between. */
const MOST_STARTS = 4;

/**
 * Watches over syncer: when it is killed, this standard input ends, and rclone and its directory ($1) go. The first line
 * is the process id of rclone, the second comes at an end in order. It is no parent of rclone, because a shell drops
 * variables whose names are no words, such as those of the remote `my-nas`.
 */
const WATCHER = `
read -r pid
read -r how
[ "$how" = end ] && exit
if [ -n "$pid" ]; then
  kill "$pid" 2>/dev/null
  i=0
  while [ $((i += 1)) -lt 50 ]; do
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.2
  done
  kill -9 "$pid" 2>/dev/null
fi
rm -rf "$1"
`;

/** A running rclone. */
interface Running {
  readonly client: HttpClient;
  readonly origin: Origin;
  /** The header `authorization`. */
  readonly authorization: string;
  /** Directory for this user only; it goes with rclone. */
  readonly dir: string;
  /** Set when it has ended. */
  hasEnded: boolean;
  kill(): void;
  end(): Promise<void>;
}

/** A request to the remote control. */
interface Asked {
  readonly method: 'GET' | 'POST';
  readonly target: string;
  readonly body?: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Another rclone is there as soon as it has started. */
const anotherRclone: RetryPolicy = { ...requestPolicy, waitMs: () => undefined };

/** Does nothing. Its answer names the version; to tell that by `core/version`, rclone runs seven programs. */
const NOOP: Asked = { method: 'POST', target: '/rc/noop' };

export interface CallHow {
  readonly signal: AbortSignal;
  /** The path as the user writes it, for messages. */
  readonly path?: string | undefined;
  /** It changes nothing: it is repeated if rclone ends before it has answered. */
  readonly reads?: boolean;
}

/** One `rclone rcd` for all remotes of a run: starts with a call, again if it ended; ends with the last remote. */
export class RcloneProcess {
  /** The copies of small files. */
  readonly copies = new CallQueue(this, () => this.#atOnce('TRANSFERS', 4));
  readonly deletions = new CallQueue(this, () => this.#atOnce('CHECKERS', 8));
  readonly #settings: RcloneSettings;
  readonly #context: Context;
  readonly #log: RcloneLog;
  #running: Promise<Running> | undefined;
  #users = 0;
  #starts = 0;
  /** Whether it has `job/batch`; `undefined` before it was started. */
  takesBatches: boolean | undefined;
  /** The bandwidth limit when the run began, which a variable of rclone has, in bytes a second. */
  readonly #limitAtFirst: number | undefined;
  /** The one that rclone has. */
  #limit: number | undefined;
  readonly #infos = new Map<string, Promise<RcloneInfo>>();

  constructor(settings: RcloneSettings, context: Context) {
    this.#settings = settings;
    this.#context = context;
    this.#limitAtFirst = context.bandwidthLimit?.();
    this.#log = new RcloneLog(toRunLog(context.emit));
  }

  /** Another remote uses it. */
  use(): void {
    this.#users++;
  }

  /** A remote uses it no longer; the last one ends it. */
  async release(): Promise<void> {
    if (--this.#users > 0) return;
    const running = this.#running;
    this.#running = undefined;
    this.#infos.clear();
    await running?.then((one) => one.end()).catch(() => undefined);
  }

  /** What `operations/fsinfo` says of a remote; asked once. */
  info(fs: string, signal: AbortSignal): Promise<RcloneInfo> {
    let info = this.#infos.get(fs);
    if (info === undefined) {
      const name = 'operations/fsinfo';
      const asked = this.call(name, { fs }, { signal, reads: true });
      info = asked.then((answer) => infoOf(answer, { name }));
      info.catch(() => this.#infos.delete(fs));
      this.#infos.set(fs, info);
    }
    return info;
  }

  /** Gives rclone the bandwidth limit of the run, if that was changed since it started. */
  async heedLimit(signal: AbortSignal): Promise<void> {
    const limit = this.#context.bandwidthLimit?.();
    if (limit === undefined || limit === this.#limit) return;
    this.#limit = limit;
    const rate = Number.isFinite(limit) ? `${Math.max(1, Math.round(limit))}B` : 'off';
    await this.call('core/bwlimit', { rate }, { signal });
  }

  /** How many files rclone copies or compares in parallel. */
  #atOnce(flag: 'TRANSFERS' | 'CHECKERS', ifUnset: number): number {
    const given = Number(this.#settings.env[`RCLONE_${flag}`]) || ifUnset;
    return flag === 'TRANSFERS' ? (this.#context.transfersWanted?.() ?? given) : given;
  }

  nowMs(): number {
    return this.#context.clock.monotonic();
  }

  /** The directory of the running rclone, for this user only: it goes with it. */
  async folder(): Promise<string> {
    return (await this.#run()).dir;
  }

  /** The answer to a call. Rejects with the meaning of rclone's error, `network` if rclone ends, `bad-answer`. */
  async call(name: string, input: object, how: CallHow): Promise<RcloneAnswer> {
    const asked = {
      method: 'POST',
      target: `/${name}`,
      body: Buffer.from(JSON.stringify(input)),
      headers: { 'content-type': 'application/json' },
    } as const;
    const { status, text } = await this.#again(`rclone ${name}`, how, async (running) => {
      const answer = await this.#send(running, asked, how.signal);
      return { status: answer.status, text: await textOf(answer) };
    });
    if (status === 200) return answerIn(text, { name, path: how.path });
    throw rcloneError(errorIn(text) ?? `HTTP status ${status}`, how.path);
  }

  /** Opens `[fs]/path` for reading; the answer has status 200, 206 or 416. Rejects as `call` does. */
  async open(
    fs: string,
    path: string,
    range: string | undefined,
    how: CallHow,
  ): Promise<HttpAnswer> {
    const names = path.split('/').map(encodeURIComponent).join('/');
    const target = `/${encodeURIComponent(`[${fs}]`)}/${names}`;
    const headers = range === undefined ? {} : { range };
    const answer = await this.#again(`read ${path}`, { ...how, reads: true }, async (running) => {
      const opened = await this.#send(running, { method: 'GET', target, headers }, how.signal);
      const unwatch = this.#watch(running);
      opened.observe({ data: () => true, end: unwatch, broken: unwatch });
      return opened;
    });
    if ([200, 206, 416].includes(answer.status)) return answer;
    const error = errorIn(await textOf(answer));
    throw rcloneError(error ?? `HTTP status ${answer.status}`, how.path);
  }

  /** The error of a body that ended early, by the log, whose line may come a moment later; else the given one. */
  async whyCut(error: Error, remote: string, path: string): Promise<Error> {
    for (let look = 0; look < 4; look++) {
      const why = this.#log.whyNotSent(remote);
      if (why !== undefined) return rcloneError(why, path);
      await this.#context.clock.sleep(50);
    }
    return error;
  }

  /** Makes a call; one that only reads is made again if rclone ended. */
  async #again<T>(
    what: string,
    { signal, reads }: CallHow,
    ask: (running: Running) => Promise<T>,
  ): Promise<T> {
    let isLost = false;
    const askOnce = async () => {
      isLost = false;
      const running = await this.#run();
      const unwatch = this.#watch(running);
      try {
        const answer = await ask(running);
        this.#starts = 0;
        return answer;
      } catch (thrown) {
        signal.throwIfAborted();
        if (!hasCode(thrown, 'network', 'unreachable', 'body-cut')) throw thrown;
        // The end of rclone shows in its pipes a moment later.
        await this.#context.clock.sleep(50, signal);
        isLost = true;
        const why = running.hasEnded ? 'it has ended' : thrown.message;
        throw new SyncerError('network', `rclone: ${why}`, { cause: thrown });
      } finally {
        unwatch();
      }
    };
    return retry(askOnce, {
      tries: reads === true ? MOST_STARTS : 1,
      what,
      signal,
      context: this.#context,
      policy: anotherRclone,
      giveUp: () => !isLost,
    });
  }

  /** The running rclone, started if there is none. */
  async #run(): Promise<Running> {
    const current = this.#running;
    const running = await current?.catch(() => undefined);
    if (running !== undefined && !running.hasEnded) return running;
    // Another call may have started it by now, and one that could not be started will not be.
    const mayStart = this.#running === current && (current === undefined || running !== undefined);
    if (mayStart) {
      if (++this.#starts > MOST_STARTS) {
        throw new SyncerError('fatal', `rclone ended ${MOST_STARTS} times without an answer`);
      }
      this.#running = this.#start();
    }
    return this.#running as Promise<Running>;
  }

  async #start(): Promise<Running> {
    const { path, words, env } = await rcloneStart(this.#settings);
    this.#limit = this.#limitAtFirst;
    const [user, pass] = [randomBytes(9).toString('hex'), randomBytes(24).toString('hex')];
    const base = resolve(tmpdir());
    // The longest path of a Unix socket is 107 bytes; some systems have less.
    const parent = Buffer.byteLength(base) > 80 ? '/tmp' : base;
    let dir = '';
    let passwords = '';
    try {
      // For this user only.
      dir = mkdtempSync(join(parent, 'syncer-rclone-'));
      // Of a password in its environment rclone computes a slow hash at each call: half of its time.
      passwords = join(dir, 'passwords');
      writeFileSync(passwords, `${user}:{SHA}${hash('sha1', pass, 'base64')}\n`, { mode: 0o600 });
    } catch (cause) {
      if (dir !== '') rmSync(dir, { recursive: true, force: true });
      const { code, message } = cause as NodeJS.ErrnoException;
      const why = `the temporary directory ${tmpdir()} cannot be used for rclone: ${message}`;
      const advice = 'set TMPDIR to another directory';
      throw new SyncerError(code === 'ENOSPC' ? 'no-space' : 'other', why, { advice, cause });
    }
    const socketPath = join(dir, SOCKET);
    const years = '87600h';
    const args = [
      ...words,
      'rcd',
      `--rc-addr=unix://${socketPath}`,
      `--rc-htpasswd=${passwords}`,
      '--rc-serve',
      `--rc-server-read-timeout=${years}`,
      `--rc-server-write-timeout=${years}`,
      // It keeps each call that long, for questions that are not asked: 2 MB for 1,000 files.
      '--rc-job-expire-duration=1s',
      '--rc-job-expire-interval=1s',
    ];
    const watcher = spawn('/bin/sh', ['-c', WATCHER, 'syncer', dir], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const child = spawn(path, args, {
      // Ctrl-C at the terminal ends syncer, which then ends it.
      detached: true,
      env: {
        // The percentage by which its memory grows before it collects garbage; Go's 100 take a tenth of its time.
        GOGC: '200',
        ...env,
        ...this.#settings.serverEnv,
        // Whether a file is copied is decided here.
        RCLONE_IGNORE_TIMES: 'true',
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    watcher.stdin.write(`${child.pid ?? ''}\n`);
    // Both would need the same processors.
    delayMaglev(300);
    this.#log.read(child.stderr);
    const ended = Promise.all([closed(child), closed(watcher)]);
    const running: Running = {
      client: new HttpClient(
        // A copy may take days; whether rclone still answers is asked beside it.
        { timeoutMs: 0, connectTimeoutMs: 10_000, insecureTls: false, env: {} },
        this.#context.clock,
      ),
      origin: { secure: false, hostname: 'rclone', port: 80, host: 'rclone', socketPath },
      authorization: `Basic ${Buffer.from(`${user}:${pass}`).toString('base64')}`,
      dir,
      hasEnded: false,
      kill: () => void child.kill('SIGKILL'),
      end: async () => {
        running.hasEnded = true;
        running.client.close();
        keepAlive(child, watcher, true);
        child.kill('SIGTERM');
        const timer = setTimeout(running.kill, 5_000);
        await ended;
        clearTimeout(timer);
      },
    };
    watcher.stdin.on('error', () => undefined);
    void closed(child).then(() => {
      running.hasEnded = true;
      watcher.stdin.end('end\n');
      running.client.close();
      rmSync(dir, { recursive: true, force: true });
    });
    try {
      const version = await this.#awaitStart(running);
      checkVersion(version, path);
      this.takesBatches = hasBatches(version);
    } catch (thrown) {
      const said = this.#log.lastWords();
      await running.end();
      if (thrown instanceof SyncerError && thrown.code === 'config') throw thrown;
      checkVersion(await versionOf(path, env), path);
      throw new SyncerError('config', `${path} does not start: ${said || String(thrown)}`);
    }
    keepAlive(child, watcher, false);
    return running;
  }

  /** Resolves to the version when rclone answers. */
  async #awaitStart(running: Running): Promise<string> {
    const { clock } = this.#context;
    const until = clock.monotonic() + 30_000;
    for (;;) {
      // The socket appears a moment before it is listened to.
      await clock.sleep(2);
      if (running.hasEnded) throw new Error('it ended at once');
      if (!existsSync(join(running.dir, SOCKET)) && clock.monotonic() < until) continue;
      const signal = AbortSignal.timeout(ANSWER_MS);
      try {
        const answer = await this.#send(running, NOOP, signal);
        await textOf(answer);
        const named = /^rclone\/(\S+)/.exec(String(answer.headers['server']))?.[1];
        if (named !== undefined) return named;
        const version = await this.#send(running, { ...NOOP, target: '/core/version' }, signal);
        return String(jsonObject<RcloneAnswer>(await textOf(version))?.['version'] ?? '');
      } catch (thrown) {
        if (clock.monotonic() > until) throw thrown;
      }
    }
  }

  /** While calls wait, rclone must answer others; if it does not, it is killed, and the calls fail. */
  #watch(running: Running): () => void {
    const ask = async () => {
      const signal = AbortSignal.timeout(ANSWER_MS);
      try {
        await textOf(await this.#send(running, NOOP, signal));
      } catch {
        if (!signal.aborted || running.hasEnded) return;
        running.hasEnded = true;
        running.kill();
        running.client.close();
      }
    };
    const timer = setInterval(() => void ask(), 5_000).unref();
    return () => clearInterval(timer);
  }

  #send(
    { client, origin, authorization }: Running,
    { method, target, body, headers }: Asked,
    signal: AbortSignal,
  ): Promise<HttpAnswer> {
    const length = String(body?.length ?? 0);
    const all = { host: origin.host, authorization, 'content-length': length, ...headers };
    return client.send({ method, origin, target, headers: all, body, asksFirst: false }, signal);
  }
}

/** Resolves when a process has ended, and when it could not be started. */
function closed(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => child.on('close', () => resolve()).on('error', () => resolve()));
}

/** Whether rclone, its watcher and their pipes keep syncer running. */
function keepAlive(
  child: ChildProcessByStdio<null, null, Readable>,
  watcher: ChildProcessByStdio<Writable, null, null>,
  does: boolean,
): void {
  const what = does ? 'ref' : 'unref';
  child[what]();
  watcher[what]();
  for (const pipe of [child.stderr, watcher.stdin] as Partial<Socket>[]) pipe[what]?.();
}

/** The error in an answer of the remote control; `undefined` in any other text. */
function errorIn(text: string): string | undefined {
  const error = jsonObject<RcloneAnswer>(text)?.['error'];
  return typeof error === 'string' ? error : undefined;
}

async function textOf(answer: HttpAnswer): Promise<string> {
  // V8 has no longer strings.
  return (await readWhole(answer, 2 ** 29 - 1)).toString();
}
