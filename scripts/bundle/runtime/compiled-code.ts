import type { Script } from 'node:vm';
import { compiledFolder } from '../../../src/native/compiled-folder.ts';

/** Set by the build: differs where any script of the bundle differs. */
declare const BUILD: string;

/** How many runs that load the same files of the bundle for a command add what they compiled to the cache. */
const LEARNING_RUNS = 3;

/** The directory of a build: the version of Node, the kind of machine, `BUILD`. */
const OF_BUILD = /^v[\d.]+-\w+-[\da-f]{16}$/;

/** Directories of other builds are deleted after this time, in milliseconds. */
const UNUSED_MS = 30 * 86_400_000;

interface Compiled {
  readonly name: string;
  readonly script: Script;
  /** How much of its code was in the cache, in bytes. */
  readonly cached: number;
}

/**
 * Returns what runs a script and returns its value. The compiled code of each is kept in the user's cache directory with
 * all functions that runs have called, since compiling them takes a quarter of a short run.
 */
export function compiledCode(): (name: string, path: string, source: string) => unknown {
  const { Script } = process.getBuiltinModule('node:vm');
  const { readFileSync } = process.getBuiltinModule('node:fs');
  const all = compiledFolder(process.env);
  const folder = all && `${all}/${process.version}-${process.arch}-${BUILD}`;
  const compiled: Compiled[] = [];
  if (folder !== undefined) process.on('exit', () => keep(folder, compiled));
  return (name, path, source) => {
    let cachedData: Buffer | undefined;
    try {
      if (folder !== undefined) cachedData = readFileSync(`${folder}/${name}`);
    } catch {
      // It is the first run.
    }
    const script = new Script(source, { filename: path, ...(cachedData && { cachedData }) });
    const cached = (script.cachedDataRejected ? undefined : cachedData)?.length || 0;
    compiled.push({ name, script, cached });
    return script.runInThisContext();
  };
}

/** Writes the compiled code of a run, unless enough of its kind have done so. Never throws. */
function keep(folder: string, compiled: readonly Compiled[]): void {
  const { appendFileSync, renameSync, rmSync, statSync, writeFileSync } =
    process.getBuiltinModule('node:fs');
  const marker = `${folder}/${kindOf(compiled)}`;
  try {
    const runs = statSync(marker, { throwIfNoEntry: false })?.size || 0;
    if (runs >= LEARNING_RUNS) return;
    makeFolder(folder);
    appendFileSync(marker, '.');
    for (const { name, script, cached } of compiled) {
      const code = script.createCachedData();
      // It has no longer what the garbage collector took for unused.
      if (code.length <= cached) continue;
      const file = `${folder}/${name}`;
      const partial = `${file}.${process.pid}`;
      try {
        // V8 checks only the beginning of what it is given: after a power failure the rest could be anything.
        writeFileSync(partial, code, { flush: true });
        renameSync(partial, file);
      } catch {
        rmSync(partial, { force: true });
      }
    }
  } catch {
    // The next run is no faster, and that is all.
  }
}

/** A name for all runs of the same command that load the same scripts. */
function kindOf(compiled: readonly Compiled[]): string {
  const command = process.argv.slice(2).find((word) => /^[a-z]+$/.test(word)) || '';
  let hash = 0;
  for (const unit of compiled
    .map(({ name }) => name)
    .sort()
    .join()) {
    hash = (Math.imul(hash, 31) + unit.charCodeAt(0)) | 0;
  }
  return `${command.slice(0, 20)}-${(hash >>> 0).toString(36)}.runs`;
}

/** Makes the directory of this build, and deletes those of builds that are no longer used. */
function makeFolder(folder: string): void {
  const { mkdirSync, readdirSync, rmSync, statSync } = process.getBuiltinModule('node:fs');
  const { dirname, join } = process.getBuiltinModule('node:path');
  if (statSync(folder, { throwIfNoEntry: false }) !== undefined) return;
  mkdirSync(folder, 0o700);
  const all = dirname(folder);
  for (const name of readdirSync(all).filter((each) => OF_BUILD.test(each))) {
    const path = join(all, name);
    if (Date.now() - statSync(path).mtimeMs > UNUSED_MS) rmSync(path, { recursive: true });
  }
}
