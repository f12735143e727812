import { parseArgs } from 'node:util';
import { installedPeers, readPeer } from './peer.ts';

/** The usage text. */
export const USAGE = `npm run bench -- [options]
  --rows REGEX      only rows whose name matches (--list names them)
  --rounds N        rounds, of which the medians count (default 5)
  --out FILE        replace the table in this page, between <!-- figures --> and <!-- end of figures -->
  --program FILE    the program to measure (default dist/syncer.js)
  --peer NAME=COMMAND  a program to compare with, any number of times (default: rclone, s5cmd, rsync, cp, gdu
                    and ncdu, if they are installed). Names that begin with one of the last five get their own
                    arguments, all others get those of rclone: --peer rclone-1.75=/opt/rclone
  --folder DIR      where the files are (default /dev/shm, else the system's temporary folder)
`;

/** The options of `npm run bench`. */
export type BenchOptions = ReturnType<typeof readBenchOptions>;

/** Reads the command line. Throws if it makes no sense. */
export function readBenchOptions(argv: readonly string[]) {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      rows: { type: 'string', default: '' },
      rounds: { type: 'string', default: '5' },
      out: { type: 'string' },
      program: { type: 'string', default: 'dist/syncer.js' },
      peer: { type: 'string', multiple: true },
      folder: { type: 'string' },
      list: { type: 'boolean', default: false },
    },
  });
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error(`no number: ${values.rounds}`);
  const { out, program, folder, list } = values;
  const peers = values.peer?.map(readPeer) ?? installedPeers();
  return { rows: new RegExp(values.rows), rounds, out, program, peers, folder, list };
}
