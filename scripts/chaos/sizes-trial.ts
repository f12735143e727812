import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  rmdirSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { STEP } from '../../test/support/lying-sizes.ts';
import { canMount } from '../../test/support/mount-place.ts';
import { argumentsOf } from './arguments.ts';
import type { Case, Planted } from './case.ts';
import { contentName, contentOf, nameOfContent } from './content.ts';
import type { Dice } from './dice.ts';
import { waysFlags } from './make-flags.ts';
import { clear, type Places, read, specOf } from './places.ts';
import { type EndedRun, runHere } from './run-program.ts';

const SIZES = [0, 1, 2, 10, 1000, 4096, 4097, 70_000, 200_000, 1_200_000];
/** Ends of names, by which sizes are wrong; see `lyingSizes`. */
const KINDS = ['zero', 'zero', 'late', 'less', 'steps', 'true'];

/** A transfer from a file system that says wrong sizes. */
export function sizesCase(dice: Dice): Case | undefined {
  if (!canMount) return undefined;
  const a: Record<string, Planted> = {};
  for (let i = 0; i <= dice.below(6); i++) {
    const dir = dice.pick(['', '', 'd/']);
    a[`${dir}${i}-${dice.pick(KINDS)}`] = [dice.pick(SIZES), dice.below(6), '1600000000.5'];
  }
  const to = dice.pick(['local', 'local', 's3', 'drive'] as const);
  const command = dice.pick(['copy', 'sync', 'move', 'move']);
  const base: Case = { command, from: 'local', to, flags: [], a, hasWrongSizes: true };
  const own = ['--local-no-check-updated', '--bwlimit=1G', '--metadata', '--checksum'];
  const flags = dice.chance(40) ? [dice.pick(own)] : [];
  return { ...base, flags: [...waysFlags(dice, base), ...flags] };
}

let number = 0;

/** Runs one; gives what is wrong, and how the run ended. */
export async function runSizes(
  places: Places,
  trial: Case,
): Promise<{ faults: string[]; ended: EndedRun }> {
  const name = `w${process.pid}-${number++}`;
  const source = join(await mounted(), name);
  const planted = Object.entries(trial.a ?? {}).flatMap(([path, what]) =>
    typeof what === 'string' ? [] : [{ path, size: what[0], id: what[1], time: Number(what[2]) }],
  );
  mkdirSync(source);
  for (const { path, size, id, time } of planted) {
    const full = join(source, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, contentOf(size, id));
    utimesSync(full, time, time);
  }
  try {
    const argv = argumentsOf(trial, (side) =>
      side === 'a' ? source : specOf(places, trial.to, name),
    );
    const ended = await runHere(places, argv);
    const faults: string[] = [];
    const found = read(places, trial.to, name)?.files;
    const left = new Set(readdirSync(source, { recursive: true, encoding: 'utf8' }));
    for (const { path, size, id } of planted) {
      const wanted = contentName(size, id);
      const isTaken = !isLonger(path, size);
      const there = found?.get(path)?.content;
      if (there !== (isTaken ? wanted : undefined))
        faults.push(`b: ${path} holds ${there}, not ${isTaken ? wanted : 'nothing'}`);
      const isGone = isTaken && trial.command === 'move';
      if (left.has(path) === isGone) faults.push(`a: ${path} is ${isGone ? 'left' : 'lost'}`);
      else if (!isGone && readWhole(join(source, path)) !== wanted)
        faults.push(`a: ${path} has changed`);
    }
    const isWhole = planted.every(({ path, size }) => !isLonger(path, size));
    if ((ended.code === 0) !== isWhole)
      faults.push(`exit ${ended.code}, ${isWhole ? 'not 0' : 'although a file was not read'}`);
    return { faults, ended };
  } finally {
    clear(places, trial.to, name);
  }
}

/** Whether a file has more than its size, which is not 0. */
function isLonger(path: string, size: number): boolean {
  if (path.endsWith('less')) return size > Math.ceil(size / 3);
  return path.endsWith('steps') && size > STEP;
}

/** The name of a content that is read to its end. */
function readWhole(path: string): string {
  const fd = openSync(path, 'r');
  const pieces: Buffer[] = [];
  try {
    for (let at = 0; ; ) {
      const piece = Buffer.alloc(65_536);
      const bytes = readSync(fd, piece, 0, piece.length, at);
      if (bytes === 0) return nameOfContent(Buffer.concat(pieces));
      pieces.push(piece.subarray(0, bytes));
      at += bytes;
    }
  } finally {
    closeSync(fd);
  }
}

/** Where the file system is mounted, and the process that serves it, which ends with its standard input. */
let mount: { readonly point: string; readonly server: ChildProcess } | undefined;

async function mounted(): Promise<string> {
  if (mount !== undefined) return mount.point;
  // Not below the folder of the places: that is removed whole, even if a process was killed.
  const point = mkdtempSync(join(tmpdir(), 'syncer-chaos-sizes-'));
  const program = resolve(import.meta.dirname, '../../test/support/serve-memory-mount.ts');
  const stdio = ['pipe', 'pipe', 'inherit'] as const;
  const server = spawn(process.execPath, [program, point, 'lying'], { stdio: [...stdio] });
  await once(server.stdout ?? server, 'data');
  mount = { point, server };
  return point;
}

/** Ends the file system, if there is one. */
export async function endSizes(): Promise<void> {
  if (mount === undefined) return;
  const { point, server } = mount;
  mount = undefined;
  const exit = once(server, 'exit');
  server.stdin?.end();
  await exit;
  rmdirSync(point);
}
