import { execFile, spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { Context } from '../../core/context.ts';
import { SyncerError } from '../../core/errors.ts';
import type { RcloneSettings } from '../backend.ts';
import type { RcloneToAsk } from './index.ts';
import { rcloneError } from './rclone-error.ts';
import { LOG_LINE, RcloneLog, toRunLog } from './rclone-log.ts';

/** The oldest rclone whose remote control has all calls that are used: `operations/hashsumfile` came last. */
const OLDEST: readonly [number, number] = [1, 70];
const INSTALL = 'install it from https://rclone.org/install/, or name it by --rclone-program';

/** The path of the program; rejects with `config` if there is none. `type`: the type of remote that needs it. */
export async function findRclone(
  program: string | undefined,
  env: NodeJS.ProcessEnv,
  type?: string,
): Promise<string> {
  const isPath = program?.includes('/');
  const folders = isPath ? [''] : (env['PATH'] ?? '').split(delimiter).filter(Boolean);
  for (const folder of folders) {
    const path = join(folder, program ?? 'rclone');
    const isThere = access(path, constants.X_OK).then(() => true);
    if (await isThere.catch(() => false)) return path;
  }
  const what =
    program === undefined ? 'no rclone is installed' : `no program "${program}" is there`;
  const why = type === undefined ? what : `remotes of the type ${type} need rclone, and ${what}`;
  throw new SyncerError('config', `${why}: ${INSTALL}`);
}

/**
 * The program for remotes, its first words, which others see, and its environment. Rejects as `findRclone` does, and
 * with the error of a password.
 */
export async function rcloneStart({
  program,
  env,
  type,
  configFile,
  password,
}: Omit<RcloneSettings, 'spec' | 'key' | 'serverEnv'>) {
  const path = await findRclone(program, env, type);
  const secret = await password();
  return {
    path,
    words: configFile === undefined ? ['--config='] : [],
    env: {
      ...env,
      ...(configFile === undefined ? {} : { RCLONE_CONFIG: configFile }),
      RCLONE_ASK_PASSWORD: 'false',
      ...(secret === undefined ? {} : { RCLONE_CONFIG_PASS: secret }),
    },
  };
}

/** Whether a version (`v1.75.2`) is older than another one; `undefined` if it is none. */
function isOlder(version: string, [first, second]: readonly [number, number]) {
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(version) ?? [];
  if (major === undefined || minor === undefined) return undefined;
  return Number(major) < first || (Number(major) === first && Number(minor) < second);
}

/** Whether the remote control of a version takes several calls in one request: `job/batch` is new in 1.72. */
export const hasBatches = (version: string): boolean => isOlder(version, [1, 72]) === false;

/** Throws `config` if a version is too old. */
export function checkVersion(version: string, program: string): void {
  if (isOlder(version, OLDEST) !== true) return;
  throw new SyncerError(
    'config',
    `${program} is rclone ${version.replace(/^v/, '')}, and ${OLDEST.join('.')} or newer is needed: ${INSTALL}`,
  );
}

/** The version that the program prints (`v1.75.2`); `''` if it prints none. */
export async function versionOf(program: string, env: NodeJS.ProcessEnv): Promise<string> {
  const text = await output(program, ['version'], env).catch(() => '');
  return /^rclone (v\S+)/m.exec(text)?.[1] ?? '';
}

/** What the program prints. Rejects as `execFile` does. */
export async function output(program: string, args: readonly string[], env: NodeJS.ProcessEnv) {
  const how = { env, timeout: 30_000, maxBuffer: 64 * 1024 * 1024 };
  return (await promisify(execFile)(program, args, how)).stdout;
}

/** The path and version (`1.75.2`, `''`) of the rclone that opens remotes. Rejects with `config`. */
export async function installedRclone({ program, env }: RcloneToAsk, type?: string) {
  const path = await findRclone(program, env, type);
  const version = await versionOf(path, env);
  checkVersion(version, path);
  return { path, version: version.replace(/^v/, '') };
}

/** What a remote is opened through, in a few words. Never rejects. */
export function throughRclone(asked: RcloneToAsk): Promise<string> {
  return installedRclone(asked).then(
    ({ version }) => `through rclone ${version}`.trimEnd(),
    ({ message }: Error) => message,
  );
}

/** How rclone is run. */
interface RunHow {
  readonly signal: AbortSignal;
  /** Gets each line of its log, without time and level. */
  readonly tell?: (line: string) => void;
}

/**
 * Runs rclone for a remote, without a terminal; resolves to what it prints. Secrets must be in the environment or the
 * configuration: arguments are seen by other users. Rejects with the meaning of its last words.
 */
export async function runRclone(
  settings: Parameters<typeof rcloneStart>[0],
  args: readonly string[],
  { signal, tell }: RunHow,
): Promise<string> {
  const { path, words, env } = await rcloneStart(settings);
  const child = spawn(path, [...words, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed = (printed + text).slice(-4 * 1024 * 1024);
  });
  const log = new RcloneLog((line) => {
    // Without the last line, which is the error, and the usage of a command, which quotes values of flags and variables.
    if (LOG_LINE.test(line) && !line.includes('NOTICE: Fatal error: '))
      tell?.(line.replace(LOG_LINE, ''));
  });
  log.read(child.stderr);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', (error) => reject(error));
    child.on('close', resolve);
  }).catch((error: Error) => {
    signal.throwIfAborted();
    throw new SyncerError('config', `${path} does not start: ${error.message}`, { cause: error });
  });
  if (code === 0) return printed;
  throw rcloneError(log.lastWords() || `rclone ended with ${code}`, undefined);
}

/** How rclone is run if its log goes to that of the run. */
export function toLog({
  context: { signal, emit },
}: {
  readonly context: Pick<Context, 'signal' | 'emit'>;
}): RunHow {
  return { signal, tell: toRunLog(emit) };
}
