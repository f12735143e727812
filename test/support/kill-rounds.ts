import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { readTree, writeTree } from './file-tree.ts';
import type { SyncerWorld } from './run-syncer.ts';

/** How many runs of each command are killed; 7 where `SYNCER_TEST_KILLS` does not say. */
export const KILLS = Number(process.env['SYNCER_TEST_KILLS'] ?? 7);

/** So many of them one after another before a run is let through to its end. */
const KILLS_A_ROUND = 3;

const MIB = 1024 ** 2;
const text = (name: string, size: number) =>
  `${name} of ${size};`.repeat(size / 8 + 1).slice(0, size);

/** Small files that are more than one thread copies at once. */
export const SMALL_FILES: Readonly<Record<string, string>> = Object.fromEntries(
  Array.from({ length: 700 }, (_, i) => [`d${i % 9}/small-${i}`, text(`small-${i}`, i % 900)]),
);

/** The files that are copied, synced and moved: many small ones, some that take a while, one that goes up in parts. */
const NEW_FILES: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ...Array.from({ length: 80 }, (_, i) => [`d${i % 4}/small-${i}`, 30 * i] as const),
    ...Array.from({ length: 4 }, (_, i) => [`d${i}/large-${i}`, MIB + i] as const),
    ['parts', 6 * MIB] as const,
  ].map(([path, size]) => [path, text(path, size)]),
);

/** What the destination holds before: files that are replaced, and files that only `sync` deletes. */
export const OLD_FILES: Readonly<Record<string, string>> = {
  'd0/small-0': 'old small-0',
  'd1/small-5': 'old small-5',
  'd2/large-2': text('old large-2', MIB),
  parts: text('old parts', MIB),
  'd3/surplus': 'is not in the source',
  'gone/surplus': text('is not in the source either', 100_000),
};

/** A command that is killed again and again. */
export interface KilledCommand {
  readonly world: SyncerWorld;
  readonly verb: 'copy' | 'sync' | 'move';
  readonly words: readonly string[];
  /** What is copied, synced or moved, where it is not the usual tree. */
  readonly files?: Readonly<Record<string, string>>;
  /** The folders that hold the content of both sides. */
  readonly source: string;
  readonly dest: string;
  /** Whether the run has begun to transfer. */
  readonly begun: () => boolean;
  /** Both sides empty. */
  readonly reset: () => Promise<void>;
  /** A name that is only there while a file is written, and names that are none of the user's. */
  readonly isTemporary: (path: string) => boolean;
}

/** Kills the command at random moments, checks what is there, and lets it come to its end in between. */
export async function killRounds(command: KilledCommand): Promise<void> {
  let window = await timeOfTransfers(command);
  for (let kills = 0, tries = 0; kills < KILLS; ) {
    await prepare(command);
    for (let inRound = 0; inRound < KILLS_A_ROUND && kills < KILLS; tries++) {
      expect(tries, 'runs end before they can be killed').toBeLessThan(KILLS * 10);
      const wasKilled = await killOnce(command, Math.random() * window);
      await checkAfterKill(command);
      if (!wasKilled) {
        window *= 0.8;
        break;
      }
      kills++;
      inRound++;
    }
    const { code, stderr } = await command.world.run(command.words);
    expect(code, stderr).toBe(0);
    await checkAtEnd(command);
  }
}

async function prepare({ reset, source, dest, files = NEW_FILES }: KilledCommand): Promise<void> {
  await reset();
  await Promise.all([writeTree(source, files), writeTree(dest, older(OLD_FILES))]);
}

const older = (files: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(files).map(([path, content]) => [path, [content, 1000] as const]),
  );

/** How long a run that is let through takes from its first transfer on, in milliseconds. */
async function timeOfTransfers(command: KilledCommand): Promise<number> {
  await prepare(command);
  const running = command.world.start(command.words);
  await hasBegun(command, running.ended);
  const since = performance.now();
  const { code, stderr } = await running.ended;
  expect(code, stderr).toBe(0);
  await checkAtEnd(command);
  return performance.now() - since;
}

/** Tells whether the run was killed; `false` where it had ended before. */
async function killOnce(command: KilledCommand, afterMs: number): Promise<boolean> {
  const running = command.world.start(command.words);
  await hasBegun(command, running.ended);
  await sleep(afterMs);
  running.kill('SIGKILL');
  return (await running.ended).signal === 'SIGKILL';
}

async function hasBegun({ begun }: KilledCommand, ended: Promise<unknown>): Promise<void> {
  let over = false;
  void ended.then(() => {
    over = true;
  });
  while (!over && !begun()) await sleep(1);
}

/** No file is half there; nothing is lost; nothing is deleted that should not be, or too early. */
async function checkAfterKill(command: KilledCommand): Promise<void> {
  const { verb, source, dest, isTemporary, files = NEW_FILES } = command;
  const [left, there] = [await filesOf(source), await filesOf(dest)];
  let missing = 0;
  for (const [path, content] of Object.entries(files)) {
    const [before, after] = [left[path], there[path]];
    if (verb !== 'move') expect(before === content, `${path} at the source`).toBe(true);
    const isThere = after === content;
    if (!isThere) missing++;
    expect(isThere || after === OLD_FILES[path], `half of ${path} is visible`).toBe(true);
    expect(isThere || before === content, `${path} is lost`).toBe(true);
  }
  for (const [path, content] of Object.entries(OLD_FILES)) {
    if (path in files || (verb === 'sync' && missing === 0 && !(path in there))) continue;
    expect(there[path] === content, `${path} was deleted`).toBe(true);
  }
  const unknown = Object.keys(there).filter(
    (path) => !(path in files || path in OLD_FILES || isTemporary(path)),
  );
  expect(unknown).toEqual([]);
}

/** Both sides are as the command says, and no temporary file is left. */
async function checkAtEnd(command: KilledCommand): Promise<void> {
  const { verb, source, dest, files = NEW_FILES } = command;
  const surplus = Object.fromEntries(
    Object.entries(OLD_FILES).filter(([path]) => verb !== 'sync' && !(path in files)),
  );
  expectSame(await filesOf(source), verb === 'move' ? {} : files);
  expectSame(await filesOf(dest), { ...files, ...surplus });
}

/** Contents are too long to be printed. */
function expectSame(
  found: Readonly<Record<string, string>>,
  wanted: Readonly<Record<string, string>>,
): void {
  expect(Object.keys(found).sort()).toEqual(Object.keys(wanted).sort());
  for (const [path, content] of Object.entries(wanted)) {
    expect(found[path] === content, `content of ${path}`).toBe(true);
  }
}

/** Content by path, without times and without what an S3 server keeps beside its objects. */
async function filesOf(dir: string): Promise<Record<string, string>> {
  const tree = Object.entries((await readTree(dir)) ?? {});
  return Object.fromEntries(
    tree
      .filter(([path]) => !path.endsWith('/') && !path.startsWith('.syncer-s3/'))
      .map(([path, content]) => [path, content.replace(/@\d+$/, '')]),
  );
}
