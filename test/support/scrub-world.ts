import { mkdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach } from 'vitest';
import { inProcessWorld } from './in-process-world.ts';
import { runInProcess } from './run-in-process.ts';

/** The modification time of the files of a test. */
export const OLD = new Date('2020-01-01');

/** A world for tests of `scrub`: files with an old time, a cache and a list of suspects for each test. */
export function scrubWorld() {
  const world = inProcessWorld();
  const at = (name: string) => join(world.dir, name);
  beforeEach(() => mkdir(world.dir));

  async function put(name: string, content: string | Uint8Array): Promise<void> {
    await mkdir(dirname(at(name)), { recursive: true });
    await writeFile(at(name), content);
    await utimes(at(name), OLD, OLD);
  }

  /** Changes one bit of a file and sets its times back. */
  async function flip(name: string): Promise<void> {
    const content = await readFile(at(name));
    content[0] = (content[0] ?? 0) ^ 1;
    await put(name, content);
  }

  async function syncer(line: string) {
    const words = line.split(' ').map((word) => word.replace('@', `${world.dir}/`));
    const env = { ...world.env, XDG_CACHE_HOME: at('cache'), XDG_STATE_HOME: at('state') };
    return runInProcess(words, env);
  }

  /** The result of each file that a scrub looks at. */
  async function results(line: string): Promise<Record<string, string>> {
    const { stdout } = await syncer(`${line} --json -q`);
    const files = stdout.trim().split('\n').slice(0, -1);
    return Object.fromEntries(
      files.map((text) => {
        const { path, result } = JSON.parse(text);
        return [path, result];
      }),
    );
  }

  return { world, at, put, flip, syncer, results };
}
