import fs from 'node:fs';
import { type ModTime, splitModTime } from '../core/mod-time.ts';
import { cString, fsPath } from './fs-path.ts';
import { type KoffiPlace, koffiAddress, koffiFile, loadLibc } from './libc.ts';

/** Sets modification and access time (equal if only one is given), of a link itself. Throws as `fs` does. */
export type SetTimes = (path: string, modTime: ModTime, accessTime?: ModTime) => void;

/** The constants of `utimensat`, where it takes `struct timespec` as two 64-bit integers. */
function platform(): { readonly currentDir: number; readonly noFollow: number } | undefined {
  if (process.arch !== 'x64' && process.arch !== 'arm64') return undefined;
  if (process.platform === 'linux') return { currentDir: -100, noFollow: 0x100 };
  return process.platform === 'darwin' ? { currentDir: -2, noFollow: 0x20 } : undefined;
}

/**
 * Sets times to the nanosecond by `utimensat` through koffi. The fallback is Node's `utimes`, which takes seconds as
 * a double and is off by up to 240 ns.
 */
export const loadSetTimes = (): Promise<SetTimes> => loadExact().catch(() => setTimesRoughly);

/** The path of koffi for threads that set times as `loadSetTimes` does; `undefined` if that is not exact here. */
export function exactTimesModule(): KoffiPlace | undefined {
  if (platform() === undefined) return undefined;
  try {
    return { file: koffiFile(), address: koffiAddress() };
  } catch {
    return undefined;
  }
}

/** The coarsest error of the times that `loadSetTimes` sets here, in nanoseconds. */
export const timePrecision = (exact = exactTimesModule()): bigint =>
  exact === undefined ? 1000n : 1n;

async function loadExact(): Promise<SetTimes> {
  const constants = platform();
  if (constants === undefined) return setTimesRoughly;
  const libc = await loadLibc();
  const utimensat = libc.func('utimensat', 'int', ['int', 'void *', 'void *', 'int']);
  const times = new BigInt64Array(4);
  return (path, modTime, accessTime = modTime) => {
    const [modified, accessed] = [splitModTime(modTime), splitModTime(accessTime)];
    times[0] = BigInt(accessed.seconds);
    times[1] = BigInt(accessed.nanoseconds);
    times[2] = BigInt(modified.seconds);
    times[3] = BigInt(modified.nanoseconds);
    if (utimensat(constants.currentDir, cString(path), times, constants.noFollow) === 0) return;
    // Node fails for the same reason, and with the error used everywhere else.
    setTimesRoughly(path, modTime, accessTime);
  };
}

/** With Node alone. As text, because it takes a negative number for "now". */
export function setTimesRoughly(path: string, modTime: ModTime, accessTime = modTime): void {
  const seconds = (time: ModTime) => String(Number(time) / 1e9);
  fs.lutimesSync(fsPath(path), seconds(accessTime), seconds(modTime));
}
