import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { Socket } from 'node:net';
import { getSystemErrorName } from 'node:util';
import { goErrno } from '../../go/go-texts.ts';
import { ChildReaper } from './child-reaper.ts';
import type { ProcessEnd, ProcessStarter, StartedProcess, StartPlan } from './process-starter.ts';
import { loadSpawnCalls, type SpawnCalls, spawnMemory } from './spawn-calls.ts';

/** The best way to start processes that there is here. */
export async function openStarter({ on }: Pick<NodeJS.Process, 'on'>): Promise<ProcessStarter> {
  const calls = await loadSpawnCalls();
  if (calls === undefined) return new NodeStarter();
  const reaper = new ChildReaper(calls, process.pid === 1);
  on.call(process, 'SIGCHLD', () => reaper.reap());
  return new NativeStarter(calls, reaper);
}

/** Starts in other threads at the same time; more than the processors can do would not help. */
const MAX_STARTING = 3;
/** Queued starts before callers have to wait. */
const MAX_BACKLOG = 4096;
const DEV_NULL = Buffer.from('/dev/null\0');

/**
 * Starts processes with `posix_spawn`. Unlike Node's `spawn` it does not copy the tables of the server's memory, waits
 * in another thread, and passes arguments byte by byte.
 */
export class NativeStarter implements ProcessStarter {
  readonly #calls: SpawnCalls;
  readonly #reaper: ChildReaper;
  readonly #waiting: (() => void)[] = [];
  readonly #heldUp: (() => void)[] = [];
  #starting = 0;
  /** Takes the unwanted output of all processes. */
  #drain: number | undefined;

  constructor(calls: SpawnCalls, reaper: ChildReaper) {
    this.#calls = calls;
    this.#reaper = reaper;
  }

  get backlog(): number {
    return this.#waiting.length + this.#starting;
  }

  room(): Promise<void> | undefined {
    if (this.#waiting.length < MAX_BACKLOG) return undefined;
    return new Promise((resolve) => void this.#heldUp.push(resolve));
  }

  async start(plan: StartPlan): Promise<StartedProcess> {
    if (this.#starting < MAX_STARTING) this.#starting++;
    else await new Promise<void>((takePlace) => void this.#waiting.push(takePlace));
    try {
      if (plan.outputUnwanted) {
        if (this.#drain === undefined) {
          const { readEnd, writeEnd } = this.#calls.pipe();
          readerOf(readEnd).resume();
          this.#drain = writeEnd;
        }
        return { ...(await this.#spawn(plan, this.#drain)), outputs: [] };
      }
      const { readEnd, writeEnd } = this.#calls.pipe();
      try {
        return { ...(await this.#spawn(plan, writeEnd)), outputs: [readerOf(readEnd)] };
      } catch (thrown) {
        closeSync(readEnd);
        throw thrown;
      } finally {
        closeSync(writeEnd);
      }
    } finally {
      const takePlace = this.#waiting.shift();
      if (takePlace === undefined) this.#starting--;
      else takePlace();
      if (this.#waiting.length < MAX_BACKLOG) this.#heldUp.shift()?.();
    }
  }

  #spawn(plan: StartPlan, output: number) {
    const calls = this.#calls;
    const memory = spawnMemory(plan);
    const { actions, pid } = memory;
    return this.#reaper.watch(async () => {
      requireStep('prepare the start', calls.initActions(actions));
      try {
        requireStep('open /dev/null', calls.addOpen(actions, 0, DEV_NULL, constants.O_RDONLY, 0));
        for (const standard of [1, 2]) {
          requireStep('redirect the output', calls.addDuplicate(actions, output, standard));
        }
        if (plan.workingDirectory !== '') {
          const failure = calls.addChdir(actions, memory.workingDirectory);
          requireStep(`chdir ${plan.workingDirectory}`, failure);
        }
        const failure = await calls.spawn(memory, plan.ownGroup);
        if (failure === 0) return pid[0] ?? 0;
        throw Object.assign(new Error(`posix_spawn: ${failure}`), {
          code: getSystemErrorName(-failure),
        });
      } finally {
        calls.freeActions(actions);
      }
    });
  }
}

/** Throws an error that names the step if its call returned an error number. */
function requireStep(step: string, failure: number): void {
  if (failure === 0) return;
  const code = getSystemErrorName(-failure);
  throw new Error(`${step}: ${goErrno({ code, message: code })}`);
}

function readerOf(descriptor: number): Socket {
  return new Socket({ fd: descriptor, readable: true, writable: false });
}

/**
 * Starts processes with Node if the C library is not available: bytes that are not UTF-8 become U+FFFD, and the two
 * outputs are read separately.
 */
class NodeStarter implements ProcessStarter {
  #backlog = 0;

  get backlog(): number {
    return this.#backlog;
  }

  /** A start blocks the server, and so the caller. */
  room(): undefined {
    return undefined;
  }

  async start(plan: StartPlan): Promise<StartedProcess> {
    this.#backlog++;
    try {
      // The C library gives such files to a shell, which webhook does not.
      if (await isNoProgram(plan.path)) throw Object.assign(new Error(), { code: 'ENOEXEC' });
      return await started(plan);
    } finally {
      this.#backlog--;
    }
  }
}

async function started(plan: StartPlan): Promise<StartedProcess> {
  const { path, argv, env, workingDirectory, ownGroup } = plan;
  const variables: Record<string, string> = Object.create(null);
  for (const pair of env) {
    const equals = pair.indexOf('=');
    variables[pair.slice(0, equals)] = pair.slice(equals + 1);
  }
  const child = spawn(path, argv.slice(1), {
    argv0: argv[0] ?? '',
    env: variables,
    ...(workingDirectory && { cwd: workingDirectory }),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: ownGroup,
  });
  const { promise: ended, resolve } = Promise.withResolvers<ProcessEnd>();
  child.on('exit', (code, signal) => resolve({ code, signal }));
  await once(
    child.on('error', () => {}),
    'spawn',
  );
  return { pid: child.pid ?? 0, outputs: [child.stdout, child.stderr], ended };
}

async function isNoProgram(path: string): Promise<boolean> {
  try {
    const file = await open(path);
    try {
      const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0);
      return !/^(?:\x7fELF|#!|MZ)/.test(buffer.toString('latin1'));
    } finally {
      await file.close();
    }
  } catch {
    // A program may be executable and not readable.
    return false;
  }
}
