import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { median } from './measure.ts';
import { machine, replacePart } from './report.ts';
import { BENCH_HOOKS, HOOK_ROWS } from './webhook/rows.ts';
import { type Figures, measureMemory, measureRow } from './webhook/served.ts';

/**
 * `npm run bench:webhook`: the hook server beside webhook 2.8.0. `--rows REGEX` for some rows, `--memory` for memory
 * over 1,000,000 requests, `--out FILE` replaces that part of the page.
 */
const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '' },
    rounds: { type: 'string', default: '3' },
    program: { type: 'string', default: 'packages/syncer-webhook/dist/webhook.js' },
    beside: { type: 'string', default: 'webhook' },
    memory: { type: 'boolean', default: false },
    out: { type: 'string' },
  },
});

const MEMORY_ROUNDS = 5;
const MEMORY_REQUESTS = 200_000;
const TABLE_HEAD =
  '| work | answers/s | p99, ms | processor for each, µs | commands/s | memory, MiB |\n|---|---|---|---|---|---|';

const folder = await mkdtemp(join(tmpdir(), 'bench-webhook-'));
const hooks = join(folder, 'hooks.json');
await writeFile(hooks, JSON.stringify(BENCH_HOOKS));
const ours = [process.execPath, resolve(values.program)];
const theirs = [values.beside];
try {
  console.log(TABLE_HEAD);
  const lines: string[] = [];
  for (const row of HOOK_ROWS.filter(({ name }) => new RegExp(values.rows).test(name))) {
    const rounds: (readonly [ours: Figures, theirs: Figures])[] = [];
    for (let round = 0; round < Number(values.rounds); round++) {
      rounds.push([await measureRow(ours, hooks, row), await measureRow(theirs, hooks, row)]);
    }
    lines.push(tableLine(row.name, rounds));
    console.log(lines.at(-1));
  }
  const page = hookPage(lines, values.memory ? await memoryOfBoth() : '');
  if (values.out === undefined) console.log(page);
  else await replacePart(values.out, 'hooks', page);
} finally {
  await rm(folder, { recursive: true });
}

/** A line of the table: medians, ours and theirs. */
function tableLine(name: string, rounds: readonly (readonly [Figures, Figures])[]): string {
  const cell = (figure: keyof Figures, digits: number) =>
    ([0, 1] as const)
      .map((side) => rounds.flatMap((both) => both[side][figure] ?? []))
      .map((known) => (known.length === 0 ? '–' : median(known).toFixed(digits)))
      .join(' : ');
  const cells = [cell('perSecond', 0), cell('p99', 1), cell('cpu', 0), cell('started', 0)];
  return `| ${[name, ...cells, cell('memory', 0)].join(' | ')} |`;
}

/** How memory grows with requests that the first row's rule refuses. */
async function memoryOfBoth(): Promise<string> {
  const [first] = HOOK_ROWS;
  if (first === undefined) return '';
  const row = { ...first, requests: MEMORY_REQUESTS };
  const sizes = async (program: readonly string[]) => {
    const found = await measureMemory(program, hooks, row, MEMORY_ROUNDS);
    return found.map((size) => size.toFixed(0)).join(', ');
  };
  const further = MEMORY_REQUESTS.toLocaleString('en');
  return `\nMemory in MiB at the start and after each further ${further} refused requests: ${await sizes(ours)} (webhook 2.8.0: ${await sizes(theirs)}).\n`;
}

/** The table as a page of the documentation. */
function hookPage(lines: readonly string[], memory: string): string {
  const command = ['npm run bench:webhook --', ...process.argv.slice(2)].join(' ');
  return `Made by \`${command}\` on ${new Date().toISOString().slice(0, 10)}: medians, ours : webhook 2.8.0, each with the same requests in turn. The client runs on the same machine (${machine()}, load ${(loadavg()[0] ?? 0).toFixed(0)}) and needs about as much of it as the servers; the processor time for each answer is the figure that other work on the machine disturbs least.

${[TABLE_HEAD, ...lines].join('\n')}
${memory}
Here one thread answers all requests; in webhook 2.8.0 every processor does. Commands are started by \`posix_spawn\` in other threads, which does not copy the server's memory tables as a fork does.
`;
}
