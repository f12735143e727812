import type { Fault, FaultRule } from '../servers/fault.ts';
import { randomFrom } from './random-from.ts';

/** So many requests in a row fail at most: fewer than a request is tried. */
const LONGEST = 3;

const FAULTS: readonly Fault[] = [
  { status: 500 },
  { status: 503 },
  { reset: 'before' },
  { reset: 'after' },
  { reset: 'in-body', afterBytes: 100 },
  { truncate: true, afterBytes: 10 },
  { latencyMs: 200 },
];

/**
 * A network that fails now and then, the same for the same seed: one request in so many, and sometimes some of those
 * that follow it as well.
 */
export function failingNetwork(seed: number, oneIn: number): FaultRule {
  const random = randomFrom(seed);
  let left = 0;
  return () => {
    if (left === 0 && random(oneIn) === 0) left = 1 + random(LONGEST);
    if (left === 0) return undefined;
    left--;
    return FAULTS[random(FAULTS.length)];
  };
}
