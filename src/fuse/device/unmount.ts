import { execFile, execFileSync } from 'node:child_process';
import { FUSERMOUNT } from './fusermount.ts';

/** The ways to take a mount out of the tree while it may be in use, best first. */
const WAYS: readonly (readonly [program: string, option: string])[] = [
  ...FUSERMOUNT.map((program) => [program, '-uz'] as const),
  ['umount', '-l'],
];

/**
 * Detaches the mount; what is open in it works until it is closed. `false` where nothing could, as when it has gone.
 */
export async function unmountLazily(mountPoint: string): Promise<boolean> {
  for (const [program, option] of WAYS) {
    if (await succeeds(program, [option, '--', mountPoint])) return true;
  }
  return false;
}

/** Unmounts if nothing uses the mount. Resolves to the complaint where it was not possible. */
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
      // The next one may do.
    }
  }
}

async function succeeds(program: string, words: readonly string[]): Promise<boolean> {
  return (await complaintOf(program, words)) === undefined;
}

/** What the program says where it fails; `''` where it could not be started. */
function complaintOf(program: string, words: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(program, [...words], { timeout: 10_000 }, (error, _stdout, stderr) => {
      if (error === null) resolve(undefined);
      else resolve(error.code === 'ENOENT' ? '' : stderr.trim() || error.message);
    });
  });
}
