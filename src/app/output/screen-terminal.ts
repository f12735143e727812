import { SyncerError } from '../../core/errors.ts';
import { lookOf } from '../../screen/look.ts';
import type { ScreenTerminal } from '../../screen/screen-terminal.ts';
import type { Invocation } from '../command.ts';

/**
 * The terminal for a screen. Rejects with `usage` where standard input or output is none.
 *
 * @param instead what to do without a terminal, for the message
 * @param stdin where keys come from, if not from standard input
 */
export function screenTerminal(
  { env, flags, context }: Pick<Invocation, 'env' | 'flags' | 'context'>,
  instead = 'see "syncer help"',
  stdin: NodeJS.ReadStream = process.stdin,
): ScreenTerminal {
  const { stdout } = process;
  if (!stdin.isTTY || !stdout.isTTY) {
    throw new SyncerError('usage', `this needs a terminal for its screen; ${instead}`);
  }
  const { color } = flags;
  const colour = color === 'always' ? true : color === 'never' ? false : undefined;
  return { stdin, stdout, look: lookOf(env, colour), signal: context.signal };
}
