import fs from 'node:fs';
import { type ModTime, splitModTime } from '../../core/mod-time.ts';
import { fsPath } from './fs-path.ts';

/** Sets access and modification time of a file; of a link itself where `path` is one. Throws as `fs` does. */
export type SetTimes = (path: string, time: ModTime) => void;

/** What is used of koffi. */
interface Koffi {
  load(library: null): {
    func(name: string, result: string, parameters: readonly string[]): CFunction;
  };
}

type CFunction = (dir: number, path: Buffer, times: BigInt64Array, flags: number) => number;

/** Where `utimensat` takes `struct timespec` as two 64-bit integers, and its constants there. */
const PLATFORMS: Readonly<Record<string, { currentDir: number; noFollow: number }>> = {
  'linux-x64': { currentDir: -100, noFollow: 0x100 },
  'linux-arm64': { currentDir: -100, noFollow: 0x100 },
  'darwin-x64': { currentDir: -2, noFollow: 0x20 },
  'darwin-arm64': { currentDir: -2, noFollow: 0x20 },
};

/**
 * How times are set on this machine: by `utimensat` through koffi, exactly to the nanosecond. Node's own
 * `utimes` takes seconds as a double, which is off by up to 240 ns for times of today; it is the fallback
 * where koffi cannot be loaded.
 */
export function loadSetTimes(): Promise<SetTimes> {
  return loadExact().catch(() => setTimesRoughly);
}

/** The coarsest error of the times that `loadSetTimes` sets here, in nanoseconds. */
export function timePrecision(): bigint {
  try {
    import.meta.resolve('koffi');
    return platform() === undefined ? 1000n : 1n;
  } catch {
    return 1000n;
  }
}

const platform = () => PLATFORMS[`${process.platform}-${process.arch}`];

async function loadExact(): Promise<SetTimes> {
  const constants = platform();
  if (constants === undefined) return setTimesRoughly;
  // Not a literal: bundlers must leave a package with native parts where it is.
  const name = 'koffi';
  const { default: koffi } = (await import(name)) as { default: Koffi };
  const utimensat = koffi.load(null).func('utimensat', 'int', ['int', 'void *', 'void *', 'int']);
  const times = new BigInt64Array(4);
  return (path, time) => {
    const { seconds, nanoseconds } = splitModTime(time);
    times[0] = times[2] = BigInt(seconds);
    times[1] = times[3] = BigInt(nanoseconds);
    const zeroTerminated = Buffer.concat([Buffer.from(fsPath(path)), Buffer.alloc(1)]);
    if (utimensat(constants.currentDir, zeroTerminated, times, constants.noFollow) === 0) return;
    // Node fails at the same thing, and its error is the one everybody here knows.
    setTimesRoughly(path, time);
  };
}

/** With Node alone. As text, because it takes a negative number for "now". */
export function setTimesRoughly(path: string, time: ModTime): void {
  const seconds = String(Number(time) / 1e9);
  fs.lutimesSync(fsPath(path), seconds, seconds);
}
