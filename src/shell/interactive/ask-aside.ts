import type { Invocation } from '../command-line/command.ts';
import { type AskLine, lineAsker } from './input-lines.ts';

/** Whether a person can be asked. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Asks on the terminal while the view of the run and its clock wait. */
export async function askAside<Answer>(
  {
    context,
    input,
    stepAside,
    holdClock,
  }: Pick<Invocation, 'context' | 'input' | 'stepAside' | 'holdClock'>,
  put: (ask: AskLine) => Promise<Answer>,
): Promise<Answer> {
  const comeBack = stepAside?.();
  const goOn = holdClock();
  const print = async (shown: string) => void process.stderr.write(shown);
  try {
    return await put(lineAsker(input(), print, context.clock.monotonic));
  } finally {
    goOn();
    comeBack?.();
  }
}
