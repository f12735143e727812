import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { nameFromBytes, nameToBytes } from '../../core/name-bytes.ts';

/** The functions of `fs` whose second argument is a path too. */
const OF_TWO_PATHS = /^(copyFile|cp|link|rename|symlink)(Sync)?$/;
/** The functions that return a path; without a callback. */
const TO_PATH = /^(realpath|readlink)(Sync)?$/;

type Functions = Record<string, unknown>;
type AnyFunction = (...args: unknown[]) => unknown;

/**
 * Makes paths with bytes that are not UTF-8 work everywhere in this process, for a start in such a directory or with
 * such arguments. Node replaces these bytes by U+FFFD, in the current directory and in every string passed to `fs`:
 * another file could be there. From now on `process.cwd` returns them as `nameFromBytes` does, and `fs` takes such
 * names. Returns what is wrong if the current directory cannot be read.
 */
export function useExactPaths(): string | undefined {
  let given = '';
  try {
    given = process.cwd();
  } catch {
    // It was deleted.
  }
  if (given.includes('\ufffd')) {
    const dir = exactDirectory(given);
    if (dir === undefined) {
      return 'Failed to start: the name of the current directory is not UTF-8 and cannot be read; start in another directory';
    }
    process.cwd = () => dir;
  }
  takeNames(fs as unknown as Functions);
  takeNames(fs.promises as unknown as Functions);
  syncBuiltinESMExports();
  return undefined;
}

/** The current directory with its bytes; `undefined` if they cannot be read. */
function exactDirectory(given: string): string | undefined {
  try {
    const dir = nameFromBytes(fs.readlinkSync('/proc/self/cwd', 'buffer'));
    if (isCurrent(dir)) return dir;
  } catch {
    // There is no /proc.
  }
  return isCurrent(given) ? given : undefined;
}

function isCurrent(dir: string): boolean {
  const here = fs.statSync('.');
  const there = fs.statSync(nameToBytes(dir), { throwIfNoEntry: false });
  return here.dev === there?.dev && here.ino === there.ino;
}

function takeNames(functions: Functions): void {
  for (const [name, original] of Object.entries(functions)) {
    if (typeof original !== 'function' || !/^[a-z]/.test(name)) continue;
    const more = Object.getOwnPropertyDescriptors(original);
    functions[name] = Object.defineProperties(exact(name, original as AnyFunction), more);
  }
  const realpath = functions['realpathSync'] as { native: AnyFunction } | undefined;
  if (realpath !== undefined) {
    realpath.native = exact('realpathSync', realpath.native);
    functions['realpathSync'] = Object.assign(realpath.native, realpath);
  }
}

/** As `original`, but for names that are not UTF-8. */
function exact(name: string, original: AnyFunction): AnyFunction {
  const paths = OF_TWO_PATHS.test(name) ? 2 : 1;
  return (...args) => {
    for (let i = 0; i < paths; i++) {
      const path = args[i];
      if (typeof path === 'string' && !path.isWellFormed()) args[i] = nameToBytes(path);
    }
    if (!TO_PATH.test(name) || args.length > 1) return original(...args);
    const bytes = original(args[0], 'buffer');
    return bytes instanceof Promise
      ? bytes.then((found) => nameFromBytes(found as Buffer))
      : nameFromBytes(bytes as Buffer);
  };
}
