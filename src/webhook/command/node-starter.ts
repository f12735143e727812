import { spawn } from 'node:child_process';
import { open } from 'node:fs/promises';
import type { ProcessEnd, ProcessStarter, StartedProcess, StartPlan } from './process-starter.ts';

/**
 * Starts processes with Node if the C library is not available: bytes that are not UTF-8 become U+FFFD, and the two
 * outputs are read separately.
 */
export class NodeStarter implements ProcessStarter {
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

function started(plan: StartPlan): Promise<StartedProcess> {
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
  return new Promise((resolveStart, failed) => {
    child.on('error', failed);
    child.on('spawn', () => {
      resolveStart({ pid: child.pid ?? 0, outputs: [child.stdout, child.stderr], ended });
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
