import { join, resolve } from 'node:path';
import { type BenchOptions, readBenchOptions, USAGE } from './bench-options.ts';
import { type Cost, measure, medianCost } from './measure.ts';
import { type Peer, versionArgument, versionOf } from './peer.ts';
import { figuresOf, type Result, replacePart, resultLines, resultTable } from './report.ts';
import { CRYPT_ROWS } from './rows/crypt-rows.ts';
import { LOCAL_ROWS } from './rows/local-rows.ts';
import type { Row } from './rows/row.ts';
import { S3_ROWS } from './rows/s3-rows.ts';
import { openWorkplace, type Workplace } from './workplace.ts';

/** `npm run bench`: whole-process figures of the built program beside rclone. */
const argv = process.argv.slice(2);
if (argv.includes('--help')) process.stdout.write(USAGE);
else await run(readBenchOptions(argv));

async function run(options: BenchOptions): Promise<void> {
  const rows = [...LOCAL_ROWS, ...CRYPT_ROWS, ...S3_ROWS].filter(({ name }) =>
    options.rows.test(name),
  );
  if (options.list) return void console.log(rows.map(({ name }) => name).join('\n'));
  const ours: Peer = { name: 'syncer', command: [process.execPath, resolve(options.program)] };
  const programs = [ours, ...options.peers];
  const versions = programs.map((peer) => {
    const version = versionOf(peer.command, versionArgument(peer));
    if (version === undefined) throw new Error(`${peer.command.join(' ')}: cannot be run`);
    return `\`${version}\``;
  });
  const place = await openWorkplace(options.folder, ours.command);
  const results: Result[] = [];
  process.once('SIGINT', () => void place.remove().then(() => process.exit(130)));
  try {
    for (const row of rows) {
      const result = await compare(row, place, programs, options.rounds);
      results.push(result);
      console.log(resultLines(result).join('\n'));
    }
  } finally {
    await place.remove();
  }
  console.log(`\n${resultTable(results)}`);
  if (options.out === undefined) return;
  const command = ['npm run bench --', ...argv].join(' ');
  await replacePart(options.out, 'figures', figuresOf(results, command, options.rounds, versions));
}

/** Measures the programs in turn; the first is ours. Those that have no arguments for the work are left out. */
async function compare(
  row: Row,
  place: Workplace,
  programs: readonly Peer[],
  rounds: number,
): Promise<Result> {
  const runs = programs.flatMap(({ name, command, specialist }) => {
    if (row.without?.includes(name.split('-', 1)[0] ?? '')) return [];
    const args = specialist === undefined ? row.args : row.others?.[specialist];
    return args === undefined ? [] : [{ name, command, args, costs: [] as Cost[] }];
  });
  for (let round = 0; round < rounds; round++) {
    for (const { command, args, costs } of runs) {
      place.server.setLatency(0);
      await row.prepare?.(place);
      if (row.forget === true) await place.forget();
      await place.server.takeRequests();
      place.server.setLatency(row.latencyMs ?? 0);
      const cost = await measure({
        command: [...command, ...args(place)],
        env: place.env,
        figures: join(place.root, 'figures'),
        ...(row.repeat === undefined ? {} : { repeat: row.repeat }),
      });
      costs.push({ ...cost, requests: await place.server.takeRequests() });
    }
  }
  const [ours, ...peers] = runs.map(({ name, costs }) => ({ name, cost: medianCost(costs) }));
  if (ours === undefined) throw new Error('no program');
  return { name: row.name, ours: ours.cost, peers };
}
