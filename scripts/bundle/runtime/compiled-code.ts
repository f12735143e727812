import type { Script } from 'node:vm';
import { compiledFolder, isOwn } from '../../../src/system/compiled-folder.ts';
import { withFirstFlags } from '../../../src/system/v8-flags.ts';

/** Set by the build: differs where any script of the bundle differs. */
declare const BUILD: string;

/** How many runs that load the same files of the bundle for a command add what they compiled to the cache. */
const LEARNING_RUNS = 3;

/** The directory of a build: the version of Node, the kind of machine, `BUILD`, and flags of V8. */
const OF_BUILD = /^v[\d.]+-\w+-[\da-f]{16}(-\w+)?$/;

/** Directories of other builds are deleted after this time, and partial files of killed runs, in milliseconds. */
const UNUSED_MS = 30 * 86_400_000;
const LEFT_MS = 3_600_000;

interface Compiled {
  readonly name: string;
  readonly script: Script;
  /** How much of its code was in the cache, in bytes. */
  readonly cached: number;
}

/**
 * Returns what runs a script and returns its value; throws if that is not what the build made. The compiled code of
 * each is kept in the user's cache directory with all functions that runs have called, since compiling them takes a
 * quarter of a short run.
 */
export function compiledCode(): (name: string, path: string, source: string) => unknown {
  const { Script } = process.getBuiltinModule('node:vm');
  const folder = folderOfBuild();
  const compiled: Compiled[] = [];
  if (folder !== undefined) {
    process.on('exit', () => withFirstFlags(() => keep(folder, compiled)));
  }
  return (name, path, source) => {
    const cachedData = folder === undefined ? undefined : readCode(folder, name);
    try {
      const options = { filename: path, ...(cachedData && { cachedData }) };
      const script = withFirstFlags(() => new Script(source, options));
      const value = script.runInThisContext();
      if (typeof value.run !== 'function') throw new Error('it is no part of the program');
      const cached = (script.cachedDataRejected ? undefined : cachedData)?.length || 0;
      compiled.push({ name, script, cached });
      return value;
    } catch (thrown) {
      const why = thrown instanceof Error ? thrown.message : thrown;
      throw new Error(`${path} is damaged, install the program again: ${why}`);
    }
  };
}

/** V8 refuses code that was compiled with other flags: each set of them has a directory of its own. */
function folderOfBuild(): string | undefined {
  const all = compiledFolder(process.env);
  if (all === undefined) return undefined;
  const flags = [...process.execArgv, process.env['NODE_OPTIONS'] || ''].join(' ');
  const build = `${process.version}-${process.arch}-${BUILD}`;
  const folder = `${all}/${build}${flags === '' ? '' : `-${hashOf(flags)}`}`;
  return isOwn(folder) === false ? undefined : folder;
}

/** For the file that is read: V8 copies what it needs, and buffers that are garbage would stay for a while. */
let room = Buffer.alloc(0);

/**
 * The code of a script, until the next call; `undefined` if there is none. V8 does not check it, and a single wrong bit
 * may end the program at every start. So each file has it twice: to compare costs less than to load what computes a
 * checksum.
 */
function readCode(folder: string, name: string): Buffer | undefined {
  const { rmSync } = process.getBuiltinModule('node:fs');
  try {
    const size = readIntoRoom(`${folder}/${name}`);
    const code = room.subarray(0, size / 2);
    if (size > 0 && code.equals(room.subarray(code.length, size))) return code;
    // All is learned again.
    rmSync(folder, { recursive: true });
  } catch {
    // It is the first run.
  }
  return undefined;
}

function readIntoRoom(path: string): number {
  const { closeSync, constants, fstatSync, openSync, readSync } =
    process.getBuiltinModule('node:fs');
  // A pipe in its place must not keep the program from starting.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const { size } = fstatSync(file);
    if (room.length < size) room = Buffer.allocUnsafeSlow(size);
    return readSync(file, room, 0, size, 0);
  } finally {
    closeSync(file);
  }
}

/** Writes the compiled code of a run, unless enough of its kind have done so. Never throws. */
function keep(folder: string, compiled: readonly Compiled[]): void {
  const { closeSync, constants, openSync, statSync, writeSync } =
    process.getBuiltinModule('node:fs');
  const marker = `${folder}/${kindOf(compiled)}.runs`;
  try {
    const runs = statSync(marker, { throwIfNoEntry: false })?.size || 0;
    // One that is gone, or that V8 has refused, is learned again.
    if (runs >= LEARNING_RUNS && compiled.every(({ cached }) => cached > 0)) return;
    makeFolder(folder);
    for (const { name, script, cached } of compiled) {
      const code = script.createCachedData();
      // A smaller one no longer has what the garbage collector took for unused.
      if (code.length > cached) replace(`${folder}/${name}`, Buffer.concat([code, code]));
    }
    const { O_APPEND, O_CREAT, O_NONBLOCK, O_WRONLY } = constants;
    const file = openSync(marker, O_APPEND | O_CREAT | O_NONBLOCK | O_WRONLY, 0o600);
    writeSync(file, '.');
    closeSync(file);
  } catch {
    // The next run is no faster, and that is all.
  }
}

function replace(file: string, bytes: Buffer): void {
  const { renameSync, rmSync, writeFileSync } = process.getBuiltinModule('node:fs');
  const partial = `${file}.${process.pid}-${Date.now()}`;
  try {
    writeFileSync(partial, bytes, { flush: true });
    renameSync(partial, file);
  } catch (thrown) {
    // A directory in its place is gone in the next run.
    for (const left of [partial, file]) rmSync(left, { recursive: true, force: true });
    throw thrown;
  }
}

/** A name for all runs of the same command that load the same scripts. */
function kindOf(compiled: readonly Compiled[]): string {
  const [, , word = ''] = process.argv;
  const command = /^[a-z0-9]+$/.test(word) ? word : '';
  return hashOf([command, ...compiled.map(({ name }) => name).sort()].join());
}

function hashOf(text: string): string {
  let hash = 0;
  for (const unit of text) hash = (Math.imul(hash, 31) + unit.charCodeAt(0)) | 0;
  return (hash >>> 0).toString(36);
}

/** Makes the directory of this build, and deletes what is no longer used. */
function makeFolder(folder: string): void {
  const { mkdirSync } = process.getBuiltinModule('node:fs');
  const { dirname } = process.getBuiltinModule('node:path');
  if (isOwn(folder) === undefined) {
    mkdirSync(folder, 0o700);
    deleteOld(dirname(folder), OF_BUILD, UNUSED_MS);
  }
  deleteOld(folder, /\.\d+-\d+$/, LEFT_MS);
}

function deleteOld(folder: string, names: RegExp, afterMs: number): void {
  const { readdirSync, rmSync, statSync } = process.getBuiltinModule('node:fs');
  for (const name of readdirSync(folder)) {
    const path = `${folder}/${name}`;
    if (!names.test(name) || Date.now() - statSync(path).mtimeMs < afterMs) continue;
    rmSync(path, { recursive: true });
  }
}
