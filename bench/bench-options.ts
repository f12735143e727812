import { parseArgs } from 'node:util';

/** What `npm run bench` was asked for. */
export interface BenchOptions {
  /** Rows whose name this matches. */
  readonly rows: RegExp;
  readonly rounds: number;
  /** A server that runs already, instead of the bench's own. */
  readonly server: string | undefined;
  /** Where the table goes; standard output alone where absent. */
  readonly out: string | undefined;
  /** The program that is measured. */
  readonly program: string;
  /** What it is measured beside. */
  readonly beside: string;
  /** Where files lie while it runs; memory where the machine has such a folder. */
  readonly folder: string | undefined;
  readonly list: boolean;
}

/** The usage text. */
export const USAGE = `npm run bench -- [options]
  --rows REGEX      only rows whose name matches (--list names them)
  --rounds N        rounds; medians are told (default 5)
  --server URL      an S3 server that runs already; keys in BENCH_ACCESS_KEY_ID, BENCH_SECRET_ACCESS_KEY.
                    Without it the bench starts its own, which also counts requests and answers late
  --out FILE        write the table there, too
  --program FILE    what is measured (default dist/syncer.js)
  --beside COMMAND  what it is measured beside (default rclone)
  --folder DIR      where files lie meanwhile (default /dev/shm, else the system's temporary folder)
`;

/** Reads the command line. Throws where it makes no sense. */
export function readBenchOptions(argv: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      rows: { type: 'string', default: '' },
      rounds: { type: 'string', default: '5' },
      server: { type: 'string' },
      out: { type: 'string' },
      program: { type: 'string', default: 'dist/syncer.js' },
      beside: { type: 'string', default: 'rclone' },
      folder: { type: 'string' },
      list: { type: 'boolean', default: false },
    },
  });
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error(`no number: ${values.rounds}`);
  const { server, out, program, beside, folder, list } = values;
  return { rows: new RegExp(values.rows), rounds, server, out, program, beside, folder, list };
}
