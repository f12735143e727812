import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { costSoFar } from '../measure.ts';
import type { HookRow } from './rows.ts';

/** What one server came to with one row. */
export type Figures = Awaited<ReturnType<typeof measureRow>>;

/** Starts a server, warms it up, and sends it the requests of a row. */
export function measureRow(program: readonly string[], hooks: string, row: HookRow) {
  return whileServed(program, hooks, async (port, { pid }) => {
    await runLoad(port, { ...row, requests: Math.ceil(row.requests / 4) });
    await sleep(300);
    const before = await processesStarted();
    const cpuBefore = (await costSoFar(pid)).cpu;
    const begin = performance.now();
    const { perSecond, p99 } = await runLoad(port, row);
    let started: number | undefined;
    if (row.commands === true) {
      while ((await processesStarted()) - before < row.requests) await sleep(2);
      started = row.requests / ((performance.now() - begin) / 1000);
    }
    const { cpu, memory } = await costSoFar(pid);
    return {
      perSecond,
      /** Milliseconds from a request to its answer, of which 99 in 100 were faster. */
      p99,
      /** Microseconds of the processor for each answer, without those of commands. */
      cpu: ((cpu - cpuBefore) * 1e6) / row.requests,
      /** Commands that began in a second. */
      started,
      /** Resident memory at the end, in MiB. */
      memory,
    };
  });
}

/** Memory of a server, in MiB, before and after each of some rounds of a row's requests. */
export function measureMemory(
  program: readonly string[],
  hooks: string,
  row: HookRow,
  rounds: number,
): Promise<number[]> {
  return whileServed(program, hooks, async (port, { pid }) => {
    const sizes = [(await costSoFar(pid)).memory];
    for (let round = 0; round < rounds; round++) {
      await runLoad(port, row);
      sizes.push((await costSoFar(pid)).memory);
    }
    return sizes;
  });
}

/** Runs a hook server on a port of its own, as soon as it answers. */
async function whileServed<T>(
  program: readonly string[],
  hooks: string,
  use: (port: number, server: ChildProcess) => Promise<T>,
): Promise<T> {
  const port = await freePort();
  const [file = '', ...words] = program;
  const args = ['-ip', '127.0.0.1', '-port', String(port), '-hooks', hooks];
  const child = spawn(file, [...words, ...args], { stdio: 'ignore' });
  const ended = once(child, 'close');
  try {
    for (let tries = 0; tries < 500; tries++) {
      const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
      if (answer?.ok === true) break;
      await sleep(20);
    }
    return await use(port, child);
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
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

/** Processes that this machine has started since it runs. */
async function processesStarted(): Promise<number> {
  return Number(/^processes (\d+)/m.exec(await readFile('/proc/stat', 'utf8'))?.[1]);
}

/** Sends the requests of a row over some connections, on each the next when the last was answered. */
async function runLoad(port: number, row: HookRow): Promise<{ perSecond: number; p99: number }> {
  const times: number[] = [];
  let sent = 0;
  const connection = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1').setNoDelay(true).setEncoding('latin1');
      let answer = '';
      let sentAt = 0;
      const send = () => {
        if (sent >= row.requests) {
          socket.destroy();
          return resolve();
        }
        sent++;
        answer = '';
        sentAt = performance.now();
        socket.write(row.request);
      };
      socket.on('connect', send);
      socket.on('error', reject);
      socket.on('data', (piece: string) => {
        answer += piece;
        if (!isWhole(answer)) return;
        times.push(performance.now() - sentAt);
        if (answer.startsWith('HTTP/1.1 200 ')) send();
        else socket.destroy(new Error(`a wrong answer: ${answer}`));
      });
    });
  const begin = performance.now();
  await Promise.all(Array.from({ length: row.connections }, connection));
  const seconds = (performance.now() - begin) / 1000;
  times.sort((a, b) => a - b);
  const p99 = times[Math.floor(times.length * 0.99)] ?? Number.NaN;
  return { perSecond: times.length / seconds, p99 };
}

function isWhole(answer: string): boolean {
  const end = answer.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const length = /\r\nContent-Length: (\d+)/.exec(answer.slice(0, end))?.[1];
  return length !== undefined && answer.length >= end + 4 + Number(length);
}
