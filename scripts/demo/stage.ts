import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder of the demo's own, and the programs that run in it. `clear` leaves nothing of either. */
export class Stage {
  readonly folder: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #running = new Set<ChildProcess>();
  #ended = false;

  private constructor(folder: string, env: NodeJS.ProcessEnv) {
    this.folder = folder;
    this.#env = env;
  }

  /** A new stage below the system's folder for temporary files; its programs see no configuration but its own. */
  static async open(): Promise<Stage> {
    const folder = await mkdtemp(join(tmpdir(), 'syncer-demo-'));
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('SYNCER_'));
    return new Stage(folder, {
      ...Object.fromEntries(inherited),
      SYNCER_CONFIG: join(folder, 'syncer.conf'),
      XDG_CACHE_HOME: join(folder, 'cache'),
      XDG_STATE_HOME: join(folder, 'state'),
      NO_PROXY: '127.0.0.1',
      no_proxy: '127.0.0.1',
    });
  }

  /** Plays to the end, or until a signal; then clears the stage. Sets the exit code of this process. */
  async play(scenes: () => Promise<void>): Promise<void> {
    let interrupted: number | undefined;
    for (const [signal, code] of Object.entries({ SIGHUP: 129, SIGINT: 130, SIGTERM: 143 })) {
      process.on(signal, () => {
        interrupted ??= code;
        void this.end();
      });
    }
    try {
      await scenes();
    } catch (error) {
      process.exitCode = 1;
      const text = error instanceof Error ? error.message : String(error);
      if (interrupted === undefined) console.error(`demo: ${text}`);
    } finally {
      await this.clear();
      if (interrupted !== undefined) process.exitCode = interrupted;
    }
  }

  /** Starts a program in the stage's folder. `watch` gets what it writes on standard error, which is shown as well. */
  start(command: readonly string[], watch?: (text: string) => void): ChildProcess {
    if (this.#ended) throw new Error('the demo was ended');
    const [program = '', ...args] = command;
    const child = spawn(program, args, {
      cwd: this.folder,
      env: this.#env,
      stdio: ['ignore', 'inherit', watch === undefined ? 'inherit' : 'pipe'],
    });
    this.#running.add(child);
    child.once('exit', () => this.#running.delete(child));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      if (!this.#ended) process.stderr.write(text);
      watch?.(text);
    });
    return child;
  }

  /** Runs a program to its end. Rejects where it does not end with exit code 0. */
  async run(command: readonly string[], watch?: (text: string) => void): Promise<void> {
    const [code, signal] = await once(this.start(command, watch), 'close');
    if (code !== 0) throw new Error(`that step failed (exit ${code ?? signal})`);
  }

  /** Ends every program that still runs; no other starts any more. */
  async end(): Promise<void> {
    this.#ended = true;
    await Promise.all([...this.#running].map(end));
  }

  async clear(): Promise<void> {
    await this.end();
    await rm(this.folder, { recursive: true, force: true });
  }
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 5_000);
  await ended;
  clearTimeout(timer);
}
