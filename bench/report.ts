import { cpus, release, totalmem } from 'node:os';
import type { Cost } from './measure.ts';

/** A line of the table: what both programs cost. */
export interface Result {
  readonly name: string;
  readonly ours: Cost;
  /** Absent where there is nothing to compare with. */
  readonly theirs: Cost | undefined;
}

/** How the figures came to be. */
export interface Circumstances {
  readonly command: string;
  readonly rounds: number;
  readonly versions: readonly string[];
  readonly server: string;
}

/** The table as a page of the documentation. */
export function performancePage(results: readonly Result[], about: Circumstances): string {
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'processor'}, ${gib(totalmem())} GiB, Linux ${release()}`;
  return `# Performance

Made by \`${about.command}\` on ${new Date().toISOString().slice(0, 10)}: medians of ${about.rounds} runs of each program, in turn on the same work, as whole processes. All files lay in memory. ${about.server}

- Machine: ${machine}
- Programs: ${about.versions.join('; ')}

A ratio is syncer's figure divided by the other's: below 1, syncer needs less. Processor time (user and system, all threads) is the figure that a busy machine disturbs least; wall time includes waiting for the server, which shares the machine's processors.

${resultTable(results)}

## What limits it

- **Memory.** Node takes about 42 MiB before it does anything, and 63 to 70 with the code of a store compiled, most of that pages of its own program file. Where the other program gets along with 65 MiB, syncer needs more; it does not grow with the number of objects.
- **One large download.** An object whose store tells its CRC-32 is verified by that, range by range; what is left is the system's copying from socket to memory to file. Any other is compared with MD5s: of its parts, eight at a time, where its ETag tells of them, which costs a quarter of a second of one processor for each GiB; otherwise of the whole, in a thread beside the download, and one processor makes 0.6 to 0.8 GiB of that a second. The server has its share of the same processors.
- **Small local files.** Of the quarter of a second that 10,000 take a third is start-up: of Node, of the thread that copies beside the main one, and of code that V8 has not compiled well yet. Of 100,000 it no longer counts.
- **\`check\` without flags** compares modification times, which S3 tells one object at a time: the first run asks for each, later ones know them (\`--size-only\` and \`--checksum\` ask for none).
`;
}

/** The table alone. */
export function resultTable(results: readonly Result[]): string {
  const head =
    '| work | wall | CPU | memory | requests | syncer: wall, CPU, memory | other: wall, CPU, memory |\n' +
    '|---|---|---|---|---|---|---|';
  return [head, ...results.map(line)].join('\n');
}

function line({ name, ours, theirs }: Result): string {
  const against = (figure: (cost: Cost) => number) =>
    theirs === undefined ? '–' : (figure(ours) / figure(theirs)).toFixed(2);
  const requests = [ours.requests, theirs?.requests].map((count) => count ?? '–').join(' : ');
  const cells = [
    name,
    against(({ wall }) => wall),
    against(({ cpu }) => cpu),
    against(({ peak }) => peak),
    requests === '– : –' ? '–' : requests,
    figures(ours),
    theirs === undefined ? '–' : figures(theirs),
  ];
  return `| ${cells.join(' | ')} |`;
}

function figures({ wall, cpu, peak }: Cost): string {
  return `${wall.toFixed(3)} s, ${cpu.toFixed(3)} s, ${peak.toFixed(0)} MiB`;
}

function gib(bytes: number): string {
  return (bytes / 1024 ** 3).toFixed(0);
}
