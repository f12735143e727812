import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What the kernel counts processor time in. */
const TICK_MS = 10;

/** A server that is measured. */
export interface Served {
  readonly port: number;
  /** Processor time used so far, without that of commands, in milliseconds. */
  cpu(): Promise<number>;
  /** Resident memory, in MiB. */
  memory(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts a hook server on a port of its own and waits until it answers. */
export async function serveHooks(program: readonly string[], hooks: string): Promise<Served> {
  const port = await freePort();
  const [file = '', ...words] = program;
  const args = ['-ip', '127.0.0.1', '-port', String(port), '-hooks', hooks];
  const child: ChildProcess = spawn(file, [...words, ...args], { stdio: 'ignore' });
  const ended = once(child, 'close');
  for (let tries = 0; tries < 500; tries++) {
    const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
    if (answer?.ok === true) break;
    await sleep(20);
  }
  return {
    port,
    cpu: async () => {
      const stat = await readFile(`/proc/${child.pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
    },
    memory: async () => {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
    },
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
