import { SyncerError } from '../../core/errors.ts';
import type { Invocation } from '../command-line/command.ts';
import { askAside, canAsk } from './ask-aside.ts';

/** What is to be typed, and what it is about. */
interface Asked {
  /** 0: nothing is asked. */
  readonly total: number;
  readonly text: string;
}

/**
 * Asks on a terminal for the number of what is deleted; does nothing elsewhere. Rejects with `quit` for any other
 * answer.
 *
 * @param asked is called only if a person can be asked
 */
export async function askNumber(
  invocation: Invocation,
  asked: () => Promise<Asked>,
): Promise<void> {
  if (!canAsk()) return;
  const { total, text } = await asked();
  if (total === 0) return;
  const answer = await askAside(invocation, (ask) =>
    ask(`${text}\nType ${total} to delete them: `),
  );
  if (answer?.trim() === String(total)) return;
  process.stderr.write('Nothing was deleted\n');
  throw new SyncerError('quit', 'nothing was deleted');
}
