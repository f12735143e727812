import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type LoadResult, runLoad } from './webhook/load.ts';
import { BENCH_HOOKS, HOOK_ROWS, type HookRow } from './webhook/rows.ts';
import { serveHooks } from './webhook/served.ts';

/** `npm run bench:webhook`: the hook server beside webhook 2.8.0, each with the same requests in turn. */
const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '' },
    rounds: { type: 'string', default: '3' },
    program: { type: 'string', default: 'dist/webhook.js' },
    beside: { type: 'string', default: 'webhook' },
  },
});

interface Figures extends LoadResult {
  readonly memory: number;
  /** Microseconds of the processor for each answer. */
  readonly cpu: number;
  /** Commands that began in a second. */
  readonly started: number | undefined;
}

const folder = await mkdtemp(join(tmpdir(), 'bench-webhook-'));
const hooks = join(folder, 'hooks.json');
await writeFile(hooks, JSON.stringify(BENCH_HOOKS));
const programs = [[process.execPath, resolve(values.program)], [values.beside]];
console.log(
  '| work | answers/s | p99, ms | processor for each, µs | commands/s | memory, MiB |\n|---|---|---|---|---|---|',
);
try {
  for (const row of HOOK_ROWS.filter(({ name }) => new RegExp(values.rows).test(name))) {
    const figures: Figures[][] = programs.map(() => []);
    for (let round = 0; round < Number(values.rounds); round++) {
      for (const [i, program] of programs.entries()) figures[i]?.push(await once(program, row));
    }
    console.log(line(row, figures));
  }
} finally {
  await rm(folder, { recursive: true });
}

async function once(program: readonly string[], row: HookRow): Promise<Figures> {
  const served = await serveHooks(program, hooks);
  try {
    await runLoad({ port: served.port, ...row, requests: Math.min(1000, row.requests / 4) });
    await sleep(300);
    const before = await processesStarted();
    const cpuBefore = await served.cpu();
    const begin = performance.now();
    const result = await runLoad({ port: served.port, ...row });
    if (result.wrong > 0) throw new Error(`${program.join(' ')}: ${result.wrong} wrong answers`);
    let started: number | undefined;
    if (row.commands === true) {
      while ((await processesStarted()) - before < row.requests) await sleep(2);
      started = row.requests / ((performance.now() - begin) / 1000);
    }
    const cpu = (((await served.cpu()) - cpuBefore) * 1000) / row.requests;
    return { ...result, started, cpu, memory: await served.memory() };
  } finally {
    await served.stop();
  }
}

/** Processes that this machine has started since it runs. */
async function processesStarted(): Promise<number> {
  return Number(/^processes (\d+)/m.exec(await readFile('/proc/stat', 'utf8'))?.[1]);
}

function line({ name }: HookRow, figures: readonly (readonly Figures[])[]): string {
  const cell = (figure: (one: Figures) => number | undefined, digits: number) =>
    figures
      .map((runs) => median(runs.map(figure)))
      .map((value) => value?.toFixed(digits) ?? '–')
      .join(' : ');
  const cells = [
    cell(({ perSecond }) => perSecond, 0),
    cell(({ p99 }) => p99, 1),
    cell(({ cpu }) => cpu, 0),
    cell(({ started }) => started, 0),
    cell(({ memory }) => memory, 0),
  ];
  return `| ${[name, ...cells].join(' | ')} |`;
}

function median(values: readonly (number | undefined)[]): number | undefined {
  const sorted = values.filter((value) => value !== undefined).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}
