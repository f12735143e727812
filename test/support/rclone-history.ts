import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { readTree, writeTree } from './file-tree.ts';
import { newerRclone } from './open-rclone.ts';
import { randomFrom } from './random-from.ts';
import type { SyncerWorld } from './run-syncer.ts';

/** Files by path: content and second of their time. No two contents or times are equal. */
type Model = Readonly<Record<string, readonly [content: string, second: number]>>;

/** None is a directory of another one. */
const PATHS = ['f', 'a b', 'd/f', 'd/e/[x]', 'ü/😀,b:c', 'd/{1}', 'é 100%', "it's"];

/** Where a history takes place. */
interface Bed {
  readonly world: SyncerWorld;
  /** The environment of programs. */
  readonly env: Readonly<Record<string, string>>;
  /** Two remotes or paths, empty at first. */
  readonly sides: readonly [string, string];
}

/**
 * Plays random commands between two remotes. After each one a model of the commands, and what rclone itself copies from
 * both, must be equal: names, contents and times.
 */
export async function playRcloneHistory(bed: Bed, seed: number, steps: number): Promise<void> {
  const { world, env, sides } = bed;
  const random = randomFrom(seed);
  const pick = <T>(from: readonly T[]) => from[random(from.length)] as T;
  const models: [Model, Model] = [{}, {}];
  const log: string[] = [];
  const scratch = await mkdtemp(join(tmpdir(), 'syncer-test-history-'));
  let tick = 0;

  const syncer = async (words: readonly string[], expected = [0]) => {
    log.push(words.join(' '));
    const { code, stderr } = await world.run(words, { env });
    expect(expected, `seed ${seed}\n${log.join('\n')}\n${stderr}`).toContain(code);
  };
  const at = (side: 0 | 1, path: string) => {
    const root = sides[side];
    return root.endsWith(':') ? `${root}${path}` : `${root}/${path}`;
  };
  const check = async () => {
    for (const side of [0, 1] as const) {
      const expected = Object.entries(models[side]).map(([path, [text, second]]) => [
        path,
        `${text}@${second}`,
      ]);
      const seen = await seenByRclone(sides[side], scratch, { ...process.env, ...env });
      expect(seen, `side ${side}, seed ${seed}\n${log.join('\n')}`).toEqual(
        Object.fromEntries(expected),
      );
    }
  };
  const without = (model: Model, isGone: (path: string) => boolean): Model =>
    Object.fromEntries(Object.entries(model).filter(([path]) => !isGone(path)));

  /** New files, and new contents of old ones. */
  const put = async (side: 0 | 1, paths: readonly string[]) => {
    const added: Record<string, readonly [string, number]> = {};
    for (const path of paths) {
      tick++;
      added[path] = [`${tick}`.repeat(1 + random(3) * 40_000), 1_600_000_000 + tick];
    }
    const from = join(scratch, `put${tick}`);
    await writeTree(from, added);
    await syncer(['copy', from, sides[side]]);
    models[side] = { ...models[side], ...added };
  };
  const remove = async (side: 0 | 1, path: string) => {
    if (models[side][path] === undefined) return;
    await syncer(['deletefile', at(side, path)]);
    models[side] = without(models[side], (other) => other === path);
  };
  /** Edits of both sides in different files. */
  const bisync = async () => {
    await syncer(['sync', sides[0], sides[1]]);
    models[1] = models[0];
    await syncer(['bisync', sides[0], sides[1], '--resync']);
    const mixed = [...PATHS].sort(() => random(3) - 1);
    await put(0, mixed.slice(0, 2));
    await put(1, mixed.slice(2, 4));
    if (Object.keys(models[0]).length > 3) {
      await remove(0, mixed[4] ?? '');
      await remove(1, mixed[5] ?? '');
    }
    const merged: Record<string, readonly [string, number]> = {};
    for (const [index, path] of mixed.entries()) {
      const from = [2, 3, 5].includes(index) ? 1 : 0;
      const file = models[from][path];
      if (file !== undefined) merged[path] = file;
    }
    await syncer(['bisync', sides[0], sides[1], '--force']);
    models[0] = models[1] = merged;
  };
  const step = async () => {
    const [one, other] = pick([[0, 1] as const, [1, 0] as const]);
    const names = Object.keys(models[one]);
    const before: [Model, Model] = [...models];
    // An object store has no empty directories.
    const codes = names.length === 0 ? [0, 3] : [0];
    switch (random(9)) {
      case 0:
        return put(one, [pick(PATHS), pick(PATHS)]);
      case 1:
        await syncer(['copy', sides[one], sides[other], '--trash'], codes);
        models[other] = { ...models[other], ...models[one] };
        break;
      case 2:
        if (names.length === 0) return;
        await syncer(['sync', sides[one], sides[other], '--trash'], codes);
        models[other] = models[one];
        break;
      case 3:
        await syncer(['move', sides[one], sides[other], '--trash'], codes);
        models[other] = { ...models[other], ...models[one] };
        models[one] = {};
        break;
      case 4:
        return remove(one, pick([...names, '']));
      case 5: {
        const [from, to] = [pick([...names, '']), pick(PATHS)];
        if (from === '' || from === to) return;
        await syncer(['moveto', at(one, from), at(one, to)]);
        const file = models[one][from] as readonly [string, number];
        models[one] = { ...without(models[one], (path) => path === from), [to]: file };
        return;
      }
      case 6:
        if (!names.some((path) => path.startsWith('d/'))) return;
        await syncer([pick(['purge', 'delete']), at(one, 'd')]);
        models[one] = without(models[one], (path) => path.startsWith('d/'));
        return;
      case 7:
        if (Object.keys(models[0]).length === 0) return;
        if (names.length > 0) await syncer(['dedupe', sides[one], '--dedupe-mode', 'newest']);
        return bisync();
      default: {
        if (names.length === 0 || Object.keys(models[other]).length === 0) return;
        const isEqual = JSON.stringify(sorted(models[0])) === JSON.stringify(sorted(models[1]));
        await syncer(['check', sides[0], sides[1], '--download'], [isEqual ? 0 : 1]);
        return;
      }
    }
    await check();
    if (random(2) === 0) return;
    const { stdout } = await world.run(['history', '--json'], { env });
    const [line = '{}'] = stdout.toString().split('\n');
    const { id, undoable } = JSON.parse(line) as { id: string; undoable?: boolean };
    if (undoable === false || JSON.stringify(before) === JSON.stringify(models)) return;
    await syncer(['undo', id, '--trash=false']);
    [models[0], models[1]] = before;
  };

  try {
    await put(0, PATHS.slice(0, 5));
    for (let n = 0; n < steps; n++) {
      await step();
      await check();
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

const sorted = (model: Model) => Object.entries(model).sort(([a], [b]) => (a < b ? -1 : 1));

/** The files of a remote as rclone copies them: content and second. */
async function seenByRclone(
  remote: string,
  scratch: string,
  env: NodeJS.ProcessEnv,
): Promise<Record<string, string>> {
  const to = await mkdtemp(join(scratch, 'seen-'));
  const words = ['copy', remote, to, '--exclude', '/.syncer-trash/**'];
  await new Promise<void>((resolve, reject) => {
    execFile(newerRclone ?? 'rclone', words, { env }, (error, _out, stderr) => {
      // A side that is not there yet is empty.
      if (error === null || stderr.includes('directory not found')) resolve();
      else reject(new Error(stderr));
    });
  });
  const files = Object.entries((await readTree(to)) ?? {}).filter(([path]) => !path.endsWith('/'));
  await rm(to, { recursive: true, force: true });
  return Object.fromEntries(files);
}
