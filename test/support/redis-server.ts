import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../cli/free-port.ts';
import { hasProgram } from './has-program.ts';
import { SELF_SIGNED_CERTIFICATE, SELF_SIGNED_KEY } from './self-signed.ts';

/** Whether tests that need a Redis run: where it is installed, or required. */
export const HAS_REDIS =
  process.env['SYNCER_TEST_REDIS'] === 'required' || hasProgram('redis-server');

/** How a server is started. */
interface RedisOptions {
  /** Writes every change to disk each second. */
  readonly appendOnly?: boolean;
  /** Only with TLS, with the certificate of `SELF_SIGNED_CERTIFICATE`. */
  readonly tls?: boolean;
  /** Lines of ACL: `user syncer on >password ~syncer:* +@all`. */
  readonly acl?: readonly string[];
  /** A free port of 127.0.0.1 besides the socket. */
  readonly tcp?: boolean;
  /** Further words for the program: `--maxmemory-policy`, `allkeys-lru`. */
  readonly words?: readonly string[];
}

/** A Redis of its own for a test, with its data in a temporary folder. */
export interface TestRedis {
  /** The address of its Unix socket, or with TLS of its port. */
  readonly url: string;
  /** The address of its port; absent without one. */
  readonly tcpUrl?: string;
  readonly folder: string;
  readonly port: number;
  /** Ends it immediately, as a power cut. */
  kill(): Promise<void>;
  /** Starts it again with the data it had. */
  restart(): Promise<void>;
  /** It answers nothing until it is resumed. */
  pause(): void;
  resume(): void;
  /** The result of `redis-cli` with these words. */
  cli(...words: readonly string[]): Promise<string>;
  /** Ends it and removes its folder. */
  stop(): Promise<void>;
}

/** Starts a Redis. A test stops it. */
export async function startRedis(options: RedisOptions = {}): Promise<TestRedis> {
  const { appendOnly = false, tls = false, acl = [], tcp = false, words = [] } = options;
  const folder = await mkdtemp(join(tmpdir(), 'syncer-redis-'));
  const socket = join(folder, 's');
  const port = tls || tcp ? await findFreePort() : 0;
  const [cert, key, users] = ['cert.pem', 'key.pem', 'users.acl'].map((name) => join(folder, name));
  await writeFile(cert ?? '', SELF_SIGNED_CERTIFICATE);
  await writeFile(key ?? '', SELF_SIGNED_KEY);
  await writeFile(users ?? '', acl.map((line) => `${line}\n`).join(''));
  const args = [
    ...['--dir', folder, '--unixsocket', socket, '--save', '', '--bind', '127.0.0.1'],
    ...['--appendonly', appendOnly ? 'yes' : 'no', '--appendfsync', 'everysec'],
    ...(tls ? ['--port', '0', '--tls-port', String(port)] : ['--port', String(port)]),
    ...(tls ? ['--tls-cert-file', cert ?? '', '--tls-key-file', key ?? ''] : []),
    ...(tls ? ['--tls-auth-clients', 'no', '--tls-ca-cert-file', cert ?? ''] : []),
    ...(acl.length > 0 ? ['--aclfile', users ?? ''] : []),
    ...words,
  ];
  let server: ChildProcess | undefined;
  const restart = async () => {
    await rm(socket, { force: true });
    server = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let log = '';
    server.stdout?.on('data', (chunk) => {
      log += chunk;
    });
    for (let tries = 0; !(await isReady(socket)); tries++) {
      if (server.exitCode !== null || tries > 2_000) throw new Error(`no redis-server: ${log}`);
      await sleep(10);
    }
  };
  const end = async (signal: NodeJS.Signals) => {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const over = new Promise((resolve) => server?.once('exit', resolve));
    server.kill(signal);
    await over;
  };
  await restart();
  return {
    url: tls ? `rediss://127.0.0.1:${port}` : `unix:${socket}`,
    ...(port > 0 && !tls ? { tcpUrl: `redis://127.0.0.1:${port}` } : {}),
    ...{ folder, port, restart },
    kill: () => end('SIGKILL'),
    pause: () => void server?.kill('SIGSTOP'),
    resume: () => void server?.kill('SIGCONT'),
    cli: (...given) => runCli(['-s', socket, ...given]),
    async stop() {
      await end('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Whether it answers, and has read its data. */
async function isReady(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const link = connect(socket, () => link.write('PING\r\n'));
    link.on('data', (data) => {
      resolve(!String(data).startsWith('-LOADING'));
      link.destroy();
    });
    link.on('error', () => resolve(false));
  });
}

async function runCli(words: readonly string[]): Promise<string> {
  const child = spawn('redis-cli', words, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  await new Promise((resolve) => child.once('close', resolve));
  return text.trimEnd();
}
