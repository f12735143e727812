import { readFileSync } from 'node:fs';

const SIGKILL_BIT = 1n << 8n;

/** Whether a thread is being killed: then SIGKILL is pending for it. `undefined` if the thread cannot be examined. */
export function isDying(thread: number, read = readStatus): boolean | undefined {
  if (thread === 0) return undefined;
  let status: string;
  try {
    status = read(thread);
  } catch {
    return undefined;
  }
  const waiting = [...status.matchAll(/^(?:SigPnd|ShdPnd):\s*([0-9a-f]+)$/gm)];
  return waiting.some(([, mask]) => (BigInt(`0x${mask}`) & SIGKILL_BIT) !== 0n);
}

function readStatus(thread: number): string {
  return readFileSync(`/proc/${thread}/status`, 'latin1');
}
