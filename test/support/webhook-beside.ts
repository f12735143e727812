import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { COMPILED_CACHE } from './compiled-cache.ts';

/** Whether Debian's webhook 2.8.0 is installed: tests beside it are skipped where it is not. */
export const hasWebhook = (() => {
  try {
    return execFileSync('webhook', ['-version'], { encoding: 'utf8' }).includes('2.8.0');
  } catch {
    return false;
  }
})();

const root = resolve(import.meta.dirname, '../..');

/** A server that runs. */
export interface WebhookServer {
  readonly port: number;
  readonly pid: number;
  /** What it has written so far. */
  readonly seen: { stdout: string; stderr: string };
  /** Sends bytes on a connection of its own and gives what comes back until it is closed. */
  exchange(request: string | Uint8Array): Promise<string>;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<number | null>;
}

/** How a server is started. */
interface StartOptions {
  readonly cwd: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The program from its source; the bundle in `dist` with `SYNCER_TEST_DIST=1`. */
const program =
  process.env['SYNCER_TEST_DIST'] === '1'
    ? join(root, 'packages/syncer-webhook/dist/webhook.js')
    : join(root, 'src/webhook/main.ts');

/** The words that start our program, and those that start Debian's. */
export const PROGRAMS = {
  ours: [process.execPath, program],
  theirs: ['webhook'],
} as const;

/** Starts a server and waits until it answers. */
export async function startWebhook(
  whose: keyof typeof PROGRAMS,
  { cwd, args, env }: StartOptions,
): Promise<WebhookServer> {
  const port = await freePort();
  const [command, ...words] = PROGRAMS[whose];
  const place = ['-ip', '127.0.0.1', '-port', String(port)];
  const child = spawn(command, [...words, ...place, ...args], {
    cwd,
    env: {
      PATH: process.env['PATH'],
      TZ: 'UTC',
      HOME: cwd,
      TMPDIR: cwd,
      ...COMPILED_CACHE,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const seen = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    seen.stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    seen.stderr += chunk;
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  let over = false;
  void ended.then(() => {
    over = true;
  });
  for (let tries = 0; tries < 1000 && !over; tries++) {
    const answer = await exchange(port, 'GET / HTTP/1.0\r\n\r\n').catch(() => '');
    if (answer !== '') break;
    await sleep(10);
  }
  return {
    ...{ port, pid: child.pid ?? 0, seen, ended },
    exchange: (request) => exchange(port, request),
    kill: (signal) => void child.kill(signal),
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

async function exchange(port: number, request: string | Uint8Array): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.setEncoding('latin1').on('data', (chunk) => {
    answer += chunk;
  });
  socket.write(request);
  await once(socket, 'close');
  return answer;
}
