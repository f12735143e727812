import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { cpus, release, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { measure } from './measure.ts';
import { MOUNT_STEPS } from './mount/mount-steps.ts';
import { withPart } from './report.ts';
import { startBenchServer } from './server/bench-server.ts';
import { openWorkplace } from './workplace.ts';

/**
 * `npm run bench:mount`: mounts of the built program beside rclone's, with the same cache mode and the same work in
 * turn. `--rounds N`, `--modes off,writes,full`; `--out FILE` replaces that part of the page.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    modes: { type: 'string', default: 'off,writes,full' },
    out: { type: 'string' },
  },
});

/** Seconds for each step, and the processor time and the peak memory of the process that serves the mount. */
interface MountFigures {
  readonly steps: readonly number[];
  readonly cpu: number;
  readonly peak: number;
}

const PROGRAMS = {
  ours: [process.execPath, resolve('dist/syncer.js')],
  theirs: ['rclone'],
} as const;

const folder = await mkdtemp(join(tmpdir(), 'bench-mount-'));
await mkdir(join(folder, 'buckets'));
const server = await startBenchServer(join(folder, 'buckets'));
const place = await openWorkplace(folder, server, PROGRAMS.ours);
const env = { PATH: process.env['PATH'] ?? '', ...place.env };
let runs = 0;
try {
  for (const [source, name] of [
    ['large-256', 'large'],
    ['small-10000', 'small'],
  ] as const) {
    await place.makeSource(source);
    const [file = '', ...words] = PROGRAMS.ours;
    const to = `bench:bench-work/${name}`;
    execFileSync(file, [...words, 'mkdir', to], { env, stdio: 'ignore' });
    execFileSync(file, [...words, 'copy', join(place.root, source), to], { env, stdio: 'ignore' });
  }
  const tables: string[] = [];
  for (const mode of values.modes.split(',')) {
    const figures = { ours: [] as MountFigures[], theirs: [] as MountFigures[] };
    for (let round = 0; round < Number(values.rounds); round++) {
      figures.ours.push(await measureMount(PROGRAMS.ours, mode));
      figures.theirs.push(await measureMount(PROGRAMS.theirs, mode));
    }
    tables.push(tableOf(mode, figures.ours, figures.theirs));
    console.log(tables.at(-1));
  }
  if (values.out !== undefined)
    await writeFile(
      values.out,
      withPart(await readFile(values.out, 'utf8'), 'mounts', page(tables)),
    );
} finally {
  await server.stop();
  await place.remove();
  await rm(folder, { recursive: true, force: true });
}

async function measureMount(program: readonly string[], mode: string): Promise<MountFigures> {
  const run = ++runs;
  const mount = join(folder, `mount-${run}`);
  await mkdir(mount);
  const [file = '', ...words] = program;
  const flags = ['--vfs-cache-mode', mode, '--cache-dir', join(folder, `cache-${run}`)];
  const child = spawn(file, [...words, 'mount', 'bench:bench-work', mount, ...flags], {
    env,
    stdio: 'ignore',
  });
  const ended = once(child, 'close');
  try {
    await isMounted(mount);
    const steps: number[] = [];
    for (const { command } of MOUNT_STEPS) {
      const measured = { command: command(mount, place.root, run), env: place.env };
      steps.push((await measure({ ...measured, figures: join(folder, 'figures') })).wall);
    }
    return { steps, ...(await costOf(child)) };
  } finally {
    child.kill('SIGTERM');
    await ended;
    await rm(join(folder, `cache-${run}`), { recursive: true, force: true });
  }
}

async function isMounted(mount: string): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if ((await readFile('/proc/self/mountinfo', 'utf8')).includes(` ${mount} `)) return;
    await sleep(50);
  }
  throw new Error(`${mount} is not mounted`);
}

async function costOf({ pid }: ChildProcess): Promise<{ cpu: number; peak: number }> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return {
    cpu: (Number(fields[11]) + Number(fields[12])) / 100,
    peak: Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024,
  };
}

function tableOf(
  mode: string,
  ours: readonly MountFigures[],
  theirs: readonly MountFigures[],
): string {
  const line = (name: string, unit: string, figure: (one: MountFigures) => number, digits = 2) => {
    const [a, b] = [median(ours.map(figure)), median(theirs.map(figure))];
    const cells = [
      name,
      (a / b).toFixed(2),
      `${a.toFixed(digits)} ${unit}`,
      `${b.toFixed(digits)} ${unit}`,
    ];
    return `| ${cells.join(' | ')} |`;
  };
  return [
    `### --vfs-cache-mode ${mode}\n`,
    '| work | ratio | syncer | rclone |\n|---|---|---|---|',
    ...MOUNT_STEPS.map(({ name }, at) => line(name, 's', ({ steps }) => steps[at] ?? Number.NaN)),
    line('processor time for all of it', 's', ({ cpu }) => cpu),
    line('peak memory', 'MiB', ({ peak }) => peak, 0),
    '',
  ].join('\n');
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

function page(tables: readonly string[]): string {
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'processor'}, Linux ${release()}`;
  return `Generated by \`npm run bench:mount -- --out docs/performance.md\` on ${new Date().toISOString().slice(0, 10)}: medians of ${values.rounds} alternating mounts of each program, of the same bucket on an S3 server on the same machine (${machine}), which uses the same processors. A ratio below 1 means that syncer needs less. Nothing that is read was cached before.

${tables.join('\n')}
Closing a new file waits until it would survive a power cut, which rclone does not do: see [decision 15](decisions/0015-contents-of-a-mount.md).
`;
}
