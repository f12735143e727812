import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { systemClock } from '../../src/core/context.ts';
import { runForBytes } from '../../test/support/run-in-process.ts';
import { configOf, type Places } from './places.ts';

/** How a run ended; without a code where it was killed. */
export interface EndedRun {
  readonly code: number | undefined;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** How much shorter the waits of a program in this process are: servers of a trial need no rest. */
const HASTE = 20;
const { sleep } = systemClock;
systemClock.sleep = (ms, signal) => sleep(ms / HASTE, signal);

/** Runs the program in this process, which takes a hundredth of the time of a process of its own. */
export function runHere(
  places: Places,
  argv: readonly string[],
  input: Uint8Array = Buffer.alloc(0),
): Promise<EndedRun> {
  return runForBytes(argv, environment(places), { input });
}

/** Runs the built program; `watch` is given what kills it. */
export async function runProcess(
  places: Places,
  argv: readonly string[],
  watch: (kill: () => void) => void,
): Promise<EndedRun> {
  const program = resolve(import.meta.dirname, '../../dist/syncer.js');
  const child = spawn(process.execPath, [program, ...argv], {
    env: environment(places),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  watch(() => void child.kill('SIGKILL'));
  const [stdout, stderr]: Buffer[][] = [[], []];
  child.stdout.on('data', (chunk) => stdout?.push(chunk));
  child.stderr.on('data', (chunk) => stderr?.push(chunk));
  const code = await new Promise<number | null>((done) => child.on('close', done));
  return {
    code: code ?? undefined,
    stdout: Buffer.concat(stdout ?? []),
    stderr: Buffer.concat(stderr ?? []).toString(),
  };
}

const environments = new WeakMap<Places, NodeJS.ProcessEnv>();

function environment(places: Places): NodeJS.ProcessEnv {
  const known = environments.get(places);
  if (known !== undefined) return known;
  const home = join(places.folder, 'home');
  mkdirSync(home, { recursive: true });
  const config = join(home, 'chaos.conf');
  writeFileSync(config, configOf(places), { mode: 0o600 });
  const made = {
    HOME: home,
    SYNCER_CONFIG: config,
    PATH: process.env['PATH'],
    TZ: 'UTC',
    SYNCER_RCLONE_PROGRAM: join(places.rclone, 'rclone'),
  };
  environments.set(places, made);
  return made;
}
