import { execFile, execFileSync } from 'node:child_process';
import { FUSERMOUNT } from './fusermount.ts';

/** Commands that detach a mount that may be in use, best first. */
const WAYS: readonly (readonly [program: string, option: string])[] = [
  ...FUSERMOUNT.map((program) => [program, '-uz'] as const),
  ['umount', '-l'],
];

/**
 * Detaches the mount; open files in it work until they are closed. `false` if nothing could, for instance because it
 * is gone.
 */
export async function unmountLazily(mountPoint: string): Promise<boolean> {
  for (const [program, option] of WAYS) {
    if (await succeeds(program, [option, '--', mountPoint])) return true;
  }
  return false;
}

/** Unmounts if nothing uses the mount. Resolves to the error message if that fails. */
export async function unmountUnused(mountPoint: string): Promise<string | undefined> {
  let complaint: string | undefined;
  for (const [program, option] of [...FUSERMOUNT.map((name) => [name, '-u']), ['umount', '-i']]) {
    const failure = await complaintOf(program as string, [option as string, '--', mountPoint]);
    if (failure === undefined) return undefined;
    if (failure !== '') complaint ??= failure;
  }
  return complaint ?? 'neither fusermount nor umount is installed';
}

/** As `unmountLazily`, synchronously: for a process that is ending. */
export function unmountAtExit(mountPoint: string): void {
  for (const [program, option] of WAYS) {
    try {
      execFileSync(program, [option, '--', mountPoint], { stdio: 'ignore', timeout: 5_000 });
      return;
    } catch {
      // The next one may succeed.
    }
  }
}

async function succeeds(program: string, words: readonly string[]): Promise<boolean> {
  return (await complaintOf(program, words)) === undefined;
}

/** The output of a program that fails; `''` if it could not be started. */
function complaintOf(program: string, words: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(program, [...words], { timeout: 10_000 }, (error, _stdout, stderr) => {
      if (error === null) resolve(undefined);
      else resolve(error.code === 'ENOENT' ? '' : stderr.trim() || error.message);
    });
  });
}
