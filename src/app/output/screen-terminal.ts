import { SyncerError } from '../../core/errors.ts';
import { lookOf } from '../../screen/look.ts';
import type { ScreenTerminal } from '../../screen/screen-model.ts';
import type { Invocation } from '../command.ts';

/** Whether standard input and output are a terminal that can show a screen. */
export function hasScreenTerminal(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true;
}

/**
 * The terminal for a screen. Throws `usage` if standard input or output is not one.
 *
 * @param instead what to do without a terminal, for the message
 * @param stdin the source of keys
 */
export function screenTerminal(
  { env, flags, context }: Pick<Invocation, 'env' | 'flags' | 'context'>,
  instead = 'see "syncer help"',
  stdin: NodeJS.ReadStream = process.stdin,
): ScreenTerminal {
  const { stdout } = process;
  if (!stdin.isTTY || !stdout.isTTY) {
    throw new SyncerError('usage', `the screen needs a terminal; ${instead}`);
  }
  const { color } = flags;
  const colour = color === 'always' ? true : color === 'never' ? false : undefined;
  return { stdin, stdout, look: lookOf(env, colour), signal: context.signal };
}
