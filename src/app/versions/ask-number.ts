import { SyncerError } from '../../core/errors.ts';
import type { Invocation } from '../command.ts';
import { lineAsker } from '../interactive/input-lines.ts';

/** What is to be typed, and what it is about. */
interface Asked {
  /** 0: nothing is asked. */
  readonly total: number;
  readonly text: string;
}

/** Whether a person can be asked. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
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
  const { context, input, stepAside, holdClock } = invocation;
  if (!canAsk()) return;
  const { total, text } = await asked();
  if (total === 0) return;
  const comeBack = stepAside?.();
  const goOn = holdClock();
  const print = async (shown: string) => void process.stderr.write(shown);
  try {
    const ask = lineAsker(input(), print, context.clock.monotonic);
    const answer = (await ask(`${text}\nType ${total} to delete them: `)) ?? '';
    if (answer.trim() === String(total)) return;
  } finally {
    goOn();
    comeBack?.();
  }
  process.stderr.write('Nothing was deleted\n');
  throw new SyncerError('quit', 'nothing was deleted');
}
