import { copyFile, mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  BISYNC_SCENARIOS,
  type BisyncScenario,
  type ScenarioEnd,
} from '../cases/bisync-scenarios.ts';
import { FURTHER_BISYNC_SCENARIOS } from '../cases/further-bisync-scenarios.ts';
import { readTree, writeTree } from './file-tree.ts';

/** All scenarios by their names. */
export const SCENARIOS = Object.entries({ ...BISYNC_SCENARIOS, ...FURTHER_BISYNC_SCENARIOS });

/** Runs `bisync` in a folder. */
export type Run = (words: readonly string[], cwd: string) => Promise<{ code: number | null }>;

/** Plays a scenario in a folder. */
export async function playBisync(
  { files, steps, sides = ['a', 'b'] }: BisyncScenario,
  cwd: string,
  run: Run,
): Promise<ScenarioEnd> {
  const tree = Object.fromEntries(files.map((path) => [path, [path, 1000] as const]));
  const dirs = { a: join(cwd, sides[0]), b: join(cwd, sides[1]) };
  await Promise.all([writeTree(dirs.a, tree), writeTree(dirs.b, tree)]);
  await writeFile(join(cwd, 'rules'), '- fileZ\n');
  const codes: number[] = [];
  let second = 1_600_000_000;
  let running: ReturnType<Run> | undefined;
  const ended = async () => {
    if (running !== undefined) codes.push((await running).code ?? -1);
    running = undefined;
  };
  for (const step of steps.trim().split(/\n\s*/)) {
    const [, during, line = ''] = /^(& )?(.*)$/.exec(step) ?? [];
    if (during === undefined) await ended();
    else if (running !== undefined) await begunToCopy(Object.values(dirs), running);
    const [, side, path = '', deed = '', text = ''] =
      /^([ab])\/(.*?) (==?|>|\+|-)(?: (.*))?$/.exec(line) ?? [];
    const native = join(dirs[side as 'a' | 'b'] ?? cwd, path);
    if (line.startsWith('bisync')) {
      const flags = line.split(' ').slice(1);
      running = run(['bisync', ...sides, '--workdir', 'state', ...flags], cwd);
    } else if (side === undefined) {
      await writeFile(join(cwd, 'rules'), line.replace('rules = ', '').replaceAll('; ', '\n'));
    } else if (deed === '-') await rm(native, { recursive: true });
    else if (deed === '+') await mkdir(native, { recursive: true });
    else if (deed === '>') {
      const { mtimeMs } = await stat(native);
      const copy = join(dirs[side === 'a' ? 'b' : 'a'], path);
      await copyFile(native, copy);
      await utimes(copy, mtimeMs / 1000, mtimeMs / 1000);
    } else {
      await mkdir(dirname(native), { recursive: true });
      await writeFile(native, text.startsWith('*') ? 'x'.repeat(Number(text.slice(1))) : text);
      if (deed === '=') second++;
      await utimes(native, second, second);
    }
  }
  await ended();
  const [a, b] = [await textsIn(dirs.a), await textsIn(dirs.b)];
  const old = await textsIn(join(cwd, 'old'));
  return { codes, a, b, old };
}

/** Waits for the first new name on a side, or for the end. */
async function begunToCopy(dirs: readonly string[], running: Promise<unknown>): Promise<void> {
  const names = async () => JSON.stringify(await Promise.all(dirs.map((dir) => readdir(dir))));
  const before = await names();
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  running.then(end, end);
  while (!isOver && (await names()) === before) await sleep(10);
}

/** Contents by path, and empty directories. */
async function textsIn(dir: string): Promise<Record<string, string>> {
  const tree = Object.entries((await readTree(dir)) ?? {});
  const isEmpty = (path: string) =>
    !tree.some(([other]) => other !== path && other.startsWith(path));
  const shown = tree.filter(([path]) => !path.endsWith('/') || isEmpty(path));
  return Object.fromEntries(
    shown.map(([path, text]) => [path, shortened(text.replace(/@\d+$/, ''))]),
  );
}

const shortened = (text: string) => (text.length < 1000 ? text : `*${text.length}`);

/** An end with what it does not say. */
export const whole = ({ codes, a, b = a, old = {} }: ScenarioEnd) => ({ codes, a, b, old });
