import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { costSoFar } from '../measure.ts';

/** A server that is measured. */
export interface Served {
  readonly port: number;
  /** What it has cost so far, without its commands. */
  cost(): ReturnType<typeof costSoFar>;
  stop(): Promise<void>;
}

/** Starts a hook server on a port of its own and waits until it answers. */
export async function serveHooks(program: readonly string[], hooks: string): Promise<Served> {
  const port = await freePort();
  const [file = '', ...words] = program;
  const args = ['-ip', '127.0.0.1', '-port', String(port), '-hooks', hooks];
  const child = spawn(file, [...words, ...args], { stdio: 'ignore' });
  const ended = once(child, 'close');
  for (let tries = 0; tries < 500; tries++) {
    const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
    if (answer?.ok === true) break;
    await sleep(20);
  }
  return {
    port,
    cost: () => costSoFar(child.pid),
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
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
