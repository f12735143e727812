import { execFile, execFileSync } from 'node:child_process';

/** How a run of rclone ended. */
export interface RcloneEnded {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Whether rclone is installed: tests beside it are skipped where it is not. */
export const hasRclone = (() => {
  try {
    execFileSync('rclone', ['version'], { env: rcloneEnv(), stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** Runs rclone with a configuration file of its own. */
export function runRclone(
  args: readonly string[],
  options: {
    readonly cwd: string;
    readonly config?: string;
    readonly input?: string;
    /** Added to the environment. */
    readonly env?: Readonly<Record<string, string>>;
  },
): Promise<RcloneEnded> {
  const env = { ...rcloneEnv(options.config), ...options.env };
  return new Promise((resolve) => {
    const child = execFile(
      'rclone',
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
