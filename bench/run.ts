import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type BenchOptions, readBenchOptions, USAGE } from './bench-options.ts';
import { type Cost, measure, medianCost } from './measure.ts';
import { performancePage, type Result, resultTable } from './report.ts';
import { LOCAL_ROWS } from './rows/local-rows.ts';
import type { Row } from './rows/row.ts';
import { S3_ROWS } from './rows/s3-rows.ts';
import { type BenchServer, foreignServer, startBenchServer } from './server/bench-server.ts';
import { openWorkplace, type Workplace } from './workplace.ts';

/** `npm run bench`: whole-process figures of the built program beside rclone. */
const argv = process.argv.slice(2);
if (argv.includes('--help')) process.stdout.write(USAGE);
else await run(readBenchOptions(argv));

async function run(options: BenchOptions): Promise<void> {
  const rows = [...LOCAL_ROWS, ...S3_ROWS].filter(({ name }) => options.rows.test(name));
  if (options.list) return void console.log(rows.map(({ name }) => name).join('\n'));
  const ours = [process.execPath, resolve(options.program)];
  const theirs = versionOf([options.beside]) === undefined ? undefined : [options.beside];
  if (theirs === undefined) console.log(`${options.beside} is not installed: nothing beside it`);
  const base = await openBase(options);
  const server = base.server;
  const place = await openWorkplace(options.folder, server, ours);
  const results: Result[] = [];
  const stop = async () => {
    await server.stop();
    await place.remove();
    await base.remove();
  };
  process.once('SIGINT', () => void stop().then(() => process.exit(130)));
  try {
    for (const row of rows) {
      if (row.ownServer === true && server.own === undefined) continue;
      const result = await compare(row, place, server, { ours, theirs, rounds: options.rounds });
      results.push(result);
      console.log(resultTable([result]).split('\n').at(-1));
    }
  } finally {
    await stop();
  }
  await tell(results, options, [ours, ...(theirs === undefined ? [] : [theirs])]);
}

async function openBase(options: BenchOptions) {
  if (options.server !== undefined) {
    return { server: foreignServer(options.server, process.env), remove: async () => undefined };
  }
  const nothing: BenchServer = {
    ...{ endpoint: '', accessKeyId: '', secretAccessKey: '' },
    stop: async () => undefined,
  };
  const folder = await openWorkplace(options.folder, nothing, []);
  const root = join(folder.root, 'buckets');
  await mkdir(root);
  return { server: await startBenchServer(root), remove: folder.remove };
}

async function compare(
  row: Row,
  place: Workplace,
  server: BenchServer,
  { ours, theirs, rounds }: { ours: string[]; theirs: string[] | undefined; rounds: number },
): Promise<Result> {
  const [oursCosts, theirCosts]: [Cost[], Cost[]] = [[], []];
  const once = async (program: readonly string[]): Promise<Cost> => {
    server.own?.setLatency(0);
    await row.prepare?.(place);
    if (row.forget === true) await place.forget();
    await server.own?.takeRequests();
    server.own?.setLatency(row.latencyMs ?? 0);
    const cost = await measure({
      command: [...program, ...row.args(place)],
      env: place.env,
      figures: join(place.root, 'figures'),
      ...(row.repeat === undefined ? {} : { repeat: row.repeat }),
    });
    return { ...cost, requests: row.onS3 ? await server.own?.takeRequests() : undefined };
  };
  for (let round = 0; round < rounds; round++) {
    oursCosts.push(await once(ours));
    if (theirs !== undefined) theirCosts.push(await once(theirs));
  }
  return {
    name: row.name,
    ours: medianCost(oursCosts),
    theirs: theirs === undefined ? undefined : medianCost(theirCosts),
  };
}

async function tell(results: readonly Result[], options: BenchOptions, programs: string[][]) {
  const command = ['npm run bench --', ...argv].join(' ');
  const server =
    options.server === undefined
      ? 'The S3 server was a separate `syncer serve s3` process.'
      : `The S3 server was ${options.server}.`;
  const versions = programs.map((program) => `\`${versionOf(program)}\``);
  const page = performancePage(results, { command, rounds: options.rounds, versions, server });
  if (options.out !== undefined) await writeFile(options.out, page);
  console.log(`\n${resultTable(results)}`);
}

function versionOf(program: readonly string[]): string | undefined {
  const [file = '', ...args] = program;
  try {
    const said = execFileSync(file, [...args, 'version'], { encoding: 'utf8' });
    return said.split('\n', 1)[0];
  } catch {
    return undefined;
  }
}
