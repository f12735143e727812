import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { withPart } from './report.ts';
import { measureMemory, measureRow } from './webhook/compare.ts';
import {
  type HookResult,
  hookPage,
  type MemoryResult,
  TABLE_HEAD,
  tableLine,
} from './webhook/page.ts';
import { BENCH_HOOKS, HOOK_ROWS } from './webhook/rows.ts';

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

const folder = await mkdtemp(join(tmpdir(), 'bench-webhook-'));
const hooks = join(folder, 'hooks.json');
await writeFile(hooks, JSON.stringify(BENCH_HOOKS));
const ours = [process.execPath, resolve(values.program)];
const theirs = [values.beside];
try {
  console.log(TABLE_HEAD);
  const results: HookResult[] = [];
  for (const row of HOOK_ROWS.filter(({ name }) => new RegExp(values.rows).test(name))) {
    const result = {
      name: row.name,
      ours: [] as HookResult['ours'][number][],
      theirs: [] as HookResult['theirs'][number][],
    };
    for (let round = 0; round < Number(values.rounds); round++) {
      result.ours.push(await measureRow(ours, hooks, row));
      result.theirs.push(await measureRow(theirs, hooks, row));
    }
    results.push(result);
    console.log(tableLine(result));
  }
  const memory = values.memory ? await memoryOfBoth() : undefined;
  const command = ['npm run bench:webhook --', ...process.argv.slice(2)].join(' ');
  const page = hookPage(results, memory, command);
  if (values.out === undefined) console.log(page);
  else await writeFile(values.out, withPart(await readFile(values.out, 'utf8'), 'hooks', page));
} finally {
  await rm(folder, { recursive: true });
}

async function memoryOfBoth(): Promise<MemoryResult | undefined> {
  const [first] = HOOK_ROWS;
  if (first === undefined) return undefined;
  const row = { ...first, requests: MEMORY_REQUESTS };
  return {
    requests: MEMORY_REQUESTS,
    ours: await measureMemory(ours, hooks, row, MEMORY_ROUNDS),
    theirs: await measureMemory(theirs, hooks, row, MEMORY_ROUNDS),
  };
}
