import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RcloneSettings } from '../../src/backends/backend.ts';
import { open } from '../../src/backends/rclone/rclone-remote.ts';
import { obscure } from '../../src/config/obscure.ts';
import type { Remote } from '../../src/core/remote.ts';
import { quietContext } from './memory-world.ts';

/** Where scripts/newer-rclone puts it. */
const FETCHED = join(tmpdir(), 'syncer-newer-rclone/root/usr/bin/rclone');

/** An rclone that can open remotes for syncer (1.70 or newer); `undefined` where there is none. */
export const newerRclone: string | undefined = ['rclone', FETCHED].find((program) => {
  if (program.includes('/') && !existsSync(program)) return false;
  try {
    const told = execFileSync(program, ['version'], { stdio: 'pipe' }).toString();
    return Number(/^rclone v1\.(\d+)/.exec(told)?.[1] ?? 0) >= 70;
  } catch {
    return false;
  }
});

/** A directory with a configuration for rclone; gone with `remove`. */
export interface RcloneHome {
  readonly dir: string;
  /** The environment of programs that use this configuration. */
  readonly env: NodeJS.ProcessEnv;
  readonly configFile: string;
  /** Opens a remote of the configuration through rclone; equal homes share one running rclone. */
  open(spec: string, root: string, type?: string): Promise<Remote>;
  remove(): void;
}

/** The environment without variables that change what rclone does. */
function plainEnv(): NodeJS.ProcessEnv {
  const env = { ...process.env };
  for (const name of Object.keys(env)) {
    if (/^RCLONE_|^AWS_/.test(name)) delete env[name];
  }
  return env;
}

/**
 * @param sections gives the text of the configuration for a directory; `secret` in it is an obscured password
 * @param program the rclone; default: one that can open remotes
 */
export function rcloneHome(
  sections: (dir: string, secret: string) => string,
  program = newerRclone ?? 'rclone',
): RcloneHome {
  const dir = mkdtempSync(join(tmpdir(), 'syncer-test-rclone-'));
  const configFile = join(dir, 'rclone.conf');
  for (const name of ['one', 'two', 'three']) mkdirSync(join(dir, name));
  writeFileSync(configFile, sections(dir, obscure('secret')), { mode: 0o600 });
  const { context } = quietContext();
  const shared = new Map<string, unknown>();
  const env = plainEnv();
  return {
    dir,
    env,
    configFile,
    open(spec, root, type = 'crypt') {
      const settings: RcloneSettings = {
        spec,
        type,
        program,
        env,
        serverEnv: {},
        key: 'test',
        configFile,
        password: async () => undefined,
      };
      return open({
        name: spec.replace(/:$/, ''),
        root,
        options: {},
        context,
        rclone: settings,
        transport: {
          timeoutMs: 60_000,
          connectTimeoutMs: 10_000,
          lowLevelRetries: 5,
          insecureTls: false,
          userAgent: 'syncer-test',
          env: {},
        },
        shared<T>(key: string, make: () => T): T {
          if (!shared.has(key)) shared.set(key, make());
          return shared.get(key) as T;
        },
      });
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}
