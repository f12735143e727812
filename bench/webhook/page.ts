import { loadavg } from 'node:os';
import { median } from '../measure.ts';
import { machine } from '../report.ts';
import type { Figures } from './compare.ts';

/** A line of the table: the rounds of each server. */
export interface HookResult {
  readonly name: string;
  readonly ours: readonly Figures[];
  readonly theirs: readonly Figures[];
}

/** How memory grew, in MiB. */
export interface MemoryResult {
  readonly requests: number;
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
}

/** The head of the table. */
export const TABLE_HEAD =
  '| work | answers/s | p99, ms | processor for each, µs | commands/s | memory, MiB |\n|---|---|---|---|---|---|';

/** A line of the table: medians, ours and theirs. */
export function tableLine({ name, ours, theirs }: HookResult): string {
  const cell = (figure: (one: Figures) => number | undefined, digits: number) =>
    [ours, theirs]
      .map((runs) => runs.map(figure).filter((value) => value !== undefined))
      .map((known) => (known.length === 0 ? '–' : median(known).toFixed(digits)))
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

/** The table as a page of the documentation. */
export function hookPage(
  results: readonly HookResult[],
  memory: MemoryResult | undefined,
  command: string,
): string {
  const sizes = (list: readonly number[]) => list.map((size) => size.toFixed(0)).join(', ');
  const grown =
    memory === undefined
      ? ''
      : `\nMemory in MiB at the start and after each further ${memory.requests.toLocaleString('en')} refused requests: ${sizes(memory.ours)} (webhook 2.8.0: ${sizes(memory.theirs)}).\n`;
  return `Made by \`${command}\` on ${new Date().toISOString().slice(0, 10)}: medians, ours : webhook 2.8.0, each with the same requests in turn. The client runs on the same machine (${machine()}, load ${(loadavg()[0] ?? 0).toFixed(0)}) and needs about as much of it as the servers; the processor time for each answer is the figure that other work on the machine disturbs least.

${[TABLE_HEAD, ...results.map(tableLine)].join('\n')}
${grown}
Here one thread answers all requests; in webhook 2.8.0 every processor does. Commands are started by \`posix_spawn\` in other threads, which does not copy the server's memory tables as a fork does.
`;
}
