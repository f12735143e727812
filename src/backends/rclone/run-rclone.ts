import { spawn } from 'node:child_process';
import type { Context } from '../../core/context.ts';
import { SyncerError } from '../../core/errors.ts';
import { splitLines } from '../../system/split-lines.ts';
import { rcloneError } from './rclone-error.ts';
import { rcloneStart } from './rclone-program.ts';

/** What of its output is kept, in characters. */
const MOST = 4 * 1024 * 1024;

/** A line of rclone's log: the time, the level, and the text. */
const LOG_LINE = /^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d (?:[A-Z]+ *: )?/;

/** The last line of its log: the error. */
const FATAL = /NOTICE: Fatal error: /;

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
  let [printed, said] = ['', ''];
  const linesOf = splitLines(Number.POSITIVE_INFINITY);
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed = (printed + text).slice(-MOST);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-MOST);
    // Without the usage of a command, which quotes values of flags and variables.
    for (const line of linesOf(text).filter((one) => LOG_LINE.test(one) && !FATAL.test(one)))
      tell?.(line.replace(LOG_LINE, ''));
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', (error) => reject(error));
    child.on('close', resolve);
  }).catch((error: Error) => {
    signal.throwIfAborted();
    throw new SyncerError('config', `${path} does not start: ${error.message}`, { cause: error });
  });
  if (code === 0) return printed;
  throw rcloneError(lastWords(said) || `rclone ended with ${code}`, undefined);
}

/** How rclone is run if its log goes to that of the run. */
export function toLog({
  context: { signal, emit },
}: {
  readonly context: Pick<Context, 'signal' | 'emit'>;
}): RunHow {
  const tell = (line: string) =>
    emit({ type: 'log', level: 'debug', code: 'rclone-said', fields: { line } });
  return { signal, tell };
}

/** What its log ends with, or the error before the usage of a command. */
function lastWords(said: string): string {
  const lines = said.trim().split('\n');
  const error = lines.findLast((line) => LOG_LINE.test(line)) ?? lines.at(-1) ?? '';
  return error.replace(LOG_LINE, '').replace(/^Fatal error: /, '');
}
