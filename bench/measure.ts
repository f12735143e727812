import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';

/** What one run of a whole process cost. */
export interface Cost {
  /** Seconds from start to end. */
  readonly wall: number;
  /** Seconds of processor time, user and system, of all its threads. */
  readonly cpu: number;
  /** Most memory it had at once, in MiB. */
  readonly peak: number;
  readonly requests: number;
}

/** A command and what surrounds it. */
export interface Invocation {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** GNU time writes its figures here. */
  readonly figures: string;
  /** The command is run so often in a row, for what is too short to measure once. */
  readonly repeat?: number;
}

const TIME = '/usr/bin/time';

/** Runs a command and measures it with GNU time. Rejects where it fails. */
export async function measure(invocation: Invocation): Promise<Omit<Cost, 'requests'>> {
  const { command, env, figures, repeat = 1 } = invocation;
  const loop = 'n=$1; shift; while [ $n -gt 0 ]; do "$@" || exit $?; n=$((n-1)); done';
  const whole = repeat === 1 ? command : ['sh', '-c', loop, 'sh', String(repeat), ...command];
  const child = spawn(TIME, ['-f', '%e %U %S %M', '-o', figures, ...whole], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    if (said.length < 4000) said += chunk.toString();
  });
  const started = performance.now();
  const [code] = await once(child, 'close');
  const wall = (performance.now() - started) / 1000;
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}: ${said}`);
  const [, user, system, peak] = (await readFile(figures, 'utf8')).trim().split(' ').map(Number);
  return {
    wall: wall / repeat,
    cpu: ((user ?? 0) + (system ?? 0)) / repeat,
    peak: (peak ?? 0) / 1024,
  };
}

/** What a process has cost so far: seconds of processor time without that of its children, and MiB of memory, now and at most. */
export async function costSoFar(
  pid: number | undefined,
): Promise<{ cpu: number; memory: number; peak: number }> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const mib = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
  // The kernel counts in hundredths of a second.
  const cpu = (Number(fields[11]) + Number(fields[12])) / 100;
  return { cpu, memory: mib('VmRSS'), peak: mib('VmHWM') };
}

/** The median of each figure. */
export function medianCost(costs: readonly Cost[]): Cost {
  return {
    wall: median(costs.map(({ wall }) => wall)),
    cpu: median(costs.map(({ cpu }) => cpu)),
    peak: median(costs.map(({ peak }) => peak)),
    requests: median(costs.map(({ requests }) => requests)),
  };
}

/** The middle of some numbers; of an even count the mean of the two in the middle. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low = 0, high = 0] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return (low + high) / 2;
}
