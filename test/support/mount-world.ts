import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { COMPILED_CACHE } from './compiled-cache.ts';
import { type MountPlace, makeMountPlace } from './mount-place.ts';
import type { Ended, Running } from './run-syncer.ts';
import { makeS3World, type S3World } from './s3-world.ts';
import { waitFor } from './wait-for.ts';

/** A world for runs of the program with an S3 server and a place to mount its bucket. */
export interface MountWorld extends S3World, Pick<MountPlace, 'mnt' | 'beside'> {
  /** Mounts `store:bucket` by a process in the foreground; resolves when the mount is in the kernel's table. */
  mount(...flags: readonly string[]): Promise<Running>;
  /** Runs another program in `beside`; its output, standard output first, and its exit number. */
  call(program: string, ...args: readonly string[]): Promise<{ code: number; output: string }>;
}

/** How long a program on a mount may take, in milliseconds. */
const LIMIT_MS = 60_000;

/** Makes a world. A test removes it, which also ends what is still mounted. */
export async function makeMountWorld(): Promise<MountWorld> {
  const [world, place] = await Promise.all([
    // A process that uses a mount that it serves itself may wait for itself.
    makeS3World({ inOwnProcess: true }),
    makeMountPlace(),
  ]);
  const started: Running[] = [];
  return {
    ...world,
    mnt: place.mnt,
    beside: place.beside,
    async mount(...flags) {
      const running = world.start(['mount', 'store:bucket', place.mnt, ...flags]);
      started.push(running);
      await waitFor(() => isMounted(place.mnt), running.ended);
      return running;
    },
    call: (program, ...args) => callProgram(program, args, place.beside),
    async remove() {
      for (const running of started) running.kill('SIGKILL');
      await place.remove();
      await world.remove();
    },
  };
}

/** Whether something is in the kernel's table of mounts at this place. */
export function isMounted(mountPoint: string): boolean {
  return readFileSync('/proc/self/mountinfo', 'utf8').includes(` ${mountPoint} `);
}

/** How a run of the program ended that is expected to fail: its exit number and its last line. */
export function failureOf({ code, stderr }: Ended): { code: number | null; message: string } {
  const last = stderr.trim().split('\n').at(-1) ?? '';
  return { code, message: last.replace(/^.*?(ERROR : |Error: )/, '') };
}

function callProgram(
  program: string,
  args: readonly string[],
  cwd: string,
): Promise<{ code: number; output: string }> {
  const env = {
    PATH: process.env['PATH'],
    LC_ALL: 'C.UTF-8',
    TZ: 'UTC',
    HOME: cwd,
    ...COMPILED_CACHE,
  };
  const limits = { maxBuffer: 1 << 27, timeout: LIMIT_MS, killSignal: 'SIGKILL' } as const;
  return new Promise((resolve) => {
    execFile(program, [...args], { cwd, env, ...limits }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, output: stdout + stderr });
    });
  });
}
