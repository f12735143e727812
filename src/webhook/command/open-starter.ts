import { type ChildProcess, spawn } from 'node:child_process';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { ChildReaper } from './child-reaper.ts';
import { NativeStarter } from './native-starter.ts';
import type { ProcessEnd, ProcessStarter, StartedProcess, StartPlan } from './process-starter.ts';
import { loadSpawnCalls } from './spawn-calls.ts';

/** The best way to start processes that there is here. */
export async function openStarter({ on }: Pick<NodeJS.Process, 'on'>): Promise<ProcessStarter> {
  const calls = await loadSpawnCalls();
  if (calls === undefined) return new NodeStarter();
  const reaper = new ChildReaper(calls, process.pid === 1);
  on.call(process, 'SIGCHLD', () => reaper.reap());
  return new NativeStarter(calls, reaper);
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
      return await startedProcess(startNow(plan));
    } finally {
      this.#backlog--;
    }
  }
}

function startNow({ path, argv, env, workingDirectory, ownGroup }: StartPlan): ChildProcess {
  const variables: Record<string, string> = Object.create(null);
  for (const pair of env) {
    const equals = pair.indexOf('=');
    variables[pair.slice(0, equals)] = pair.slice(equals + 1);
  }
  return spawn(path, argv.slice(1), {
    argv0: argv[0] ?? '',
    env: variables,
    ...(workingDirectory && { cwd: workingDirectory }),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: ownGroup,
  });
}

function startedProcess(child: ChildProcess): Promise<StartedProcess> {
  const { promise: ended, resolve } = Promise.withResolvers<ProcessEnd>();
  child.on('exit', (code, signal) => resolve({ code, signal }));
  return new Promise((started, failed) => {
    child.on('error', failed);
    child.on('spawn', () => {
      const outputs = [child.stdout, child.stderr].filter((output) => output !== null);
      started({ pid: child.pid ?? 0, outputs: outputs as Readable[], ended });
    });
  });
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
