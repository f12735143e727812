import { spawn } from 'node:child_process';
import type { Context } from '../../core/context.ts';
import { SyncerError } from '../../core/errors.ts';
import { rcloneError } from './rclone-error.ts';
import { LOG_LINE, RcloneLog, toRunLog } from './rclone-log.ts';
import { rcloneStart } from './rclone-program.ts';

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
