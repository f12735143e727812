import { execFile, execFileSync } from 'node:child_process';
import type { Compared } from './record.ts';

/** How a run of rclone ended. */
export interface RcloneEnded {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** The installed rclone's version without the leading `1.`: 60 of Debian 12, 75 of today; 0 where there is none. */
const minorVersion = (() => {
  try {
    const told = execFileSync('rclone', ['version'], { env: rcloneEnv(), stdio: 'pipe' });
    return Number(/^rclone v1\.(\d+)/.exec(told.toString())?.[1] ?? 1);
  } catch {
    return 0;
  }
})();

/** Whether rclone is installed: tests beside it are skipped where it is not. */
export const hasRclone = minorVersion > 0;

/** Whether it is the rclone that syncer is measured by, 1.75 or newer, and not an older one. */
export const isRcloneNow = minorVersion >= 75;

/** A provider with storage classes: those of no other are shown and set. */
export const PROVIDER = { provider: isRcloneNow ? 'Scaleway' : 'ArvanCloud' };

/** Whether a case is compared with the installed rclone. */
export function isCompared({ only }: Compared): boolean {
  return only === undefined || (only === 'now') === isRcloneNow;
}

/** Runs rclone with a configuration file of its own. */
export function runRclone(
  args: readonly string[],
  options: {
    readonly cwd: string;
    readonly config?: string;
    readonly input?: string;
    /** Another rclone than that of the path. */
    readonly program?: string | undefined;
    /** Added to the environment. */
    readonly env?: Readonly<Record<string, string>>;
  },
): Promise<RcloneEnded> {
  const env = { ...rcloneEnv(options.config), ...options.env };
  return new Promise((resolve) => {
    const child = execFile(
      options.program ?? 'rclone',
      [...args],
      { cwd: options.cwd, env, encoding: 'buffer', maxBuffer: 1 << 28 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
        resolve({ code, stdout, stderr: stderr.toString() });
      },
    );
    child.stdin?.on('error', () => {}).end(options.input ?? '');
  });
}

/** `AWS_CA_BUNDLE` stops rclone 1.60.1's s3 backend. */
function rcloneEnv(config = '/notfound'): NodeJS.ProcessEnv {
  const env = { ...process.env, RCLONE_CONFIG: config, TZ: 'UTC', LC_ALL: 'C.UTF-8' };
  delete (env as NodeJS.ProcessEnv)['AWS_CA_BUNDLE'];
  return env;
}
