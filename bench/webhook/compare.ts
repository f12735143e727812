import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type LoadResult, runLoad } from './load.ts';
import type { HookRow } from './rows.ts';
import { serveHooks } from './served.ts';

/** What one server came to with one row. */
export interface Figures extends LoadResult {
  /** Resident memory at the end, in MiB. */
  readonly memory: number;
  /** Microseconds of the processor for each answer. */
  readonly cpu: number;
  /** Commands that began in a second. */
  readonly started: number | undefined;
}

/** Starts a server, warms it up, and sends it the requests of a row. */
export async function measureRow(
  program: readonly string[],
  hooks: string,
  row: HookRow,
): Promise<Figures> {
  const served = await serveHooks(program, hooks);
  try {
    await runLoad({ port: served.port, ...row, requests: Math.ceil(row.requests / 4) });
    await sleep(300);
    const before = await processesStarted();
    const cpuBefore = (await served.cost()).cpu;
    const begin = performance.now();
    const result = await runLoad({ port: served.port, ...row });
    if (result.wrong > 0) throw new Error(`${program.join(' ')}: ${result.wrong} wrong answers`);
    let started: number | undefined;
    if (row.commands === true) {
      while ((await processesStarted()) - before < row.requests) await sleep(2);
      started = row.requests / ((performance.now() - begin) / 1000);
    }
    const { cpu, memory } = await served.cost();
    return { ...result, started, cpu: ((cpu - cpuBefore) * 1e6) / row.requests, memory };
  } finally {
    await served.stop();
  }
}

/** Memory of a server, in MiB, before and after each of some rounds of a row's requests. */
export async function measureMemory(
  program: readonly string[],
  hooks: string,
  row: HookRow,
  rounds: number,
): Promise<number[]> {
  const served = await serveHooks(program, hooks);
  try {
    const sizes = [(await served.cost()).memory];
    for (let round = 0; round < rounds; round++) {
      await runLoad({ port: served.port, ...row });
      sizes.push((await served.cost()).memory);
    }
    return sizes;
  } finally {
    await served.stop();
  }
}

/** Processes that this machine has started since it runs. */
async function processesStarted(): Promise<number> {
  return Number(/^processes (\d+)/m.exec(await readFile('/proc/stat', 'utf8'))?.[1]);
}
