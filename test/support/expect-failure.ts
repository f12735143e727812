import { expect } from 'vitest';
import type { Ended } from './run-syncer.ts';

/** How a run is to have failed. */
export interface ExpectedFailure {
  readonly code: number;
  /** What the last line says: the path or host, why, and what to do. */
  readonly says: readonly (string | RegExp)[];
  /** What must not stand anywhere in the output. */
  readonly secrets?: readonly string[];
}

const CLOSING =
  /^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d (?:ERROR : (?:Failed to \w+|config|hooks|ncdu|uploads|help)(?: with \d+ errors: last error was)?: |NOTICE: (?=Stopped))/;

/** The secret of the servers that tests start. */
const TEST_SECRET = 'test/secret+key';

/**
 * Checks that a run failed as people and scripts need it: with this exit code, and with exactly one closing line,
 * which stands last, says all of `says`, and is one line. No stack trace, no secret. With `-vv` the causes may
 * follow on indented lines.
 */
export function expectFailure(ended: Ended, { code, says, secrets = [] }: ExpectedFailure): void {
  const { stderr } = ended;
  expect({ code: ended.code, signal: ended.signal }, stderr).toEqual({ code, signal: null });
  const lines = stderr.trimEnd().split('\n');
  const closing = lines.filter((line) => CLOSING.test(line));
  expect(closing, stderr).toHaveLength(1);
  const told = lines.filter((line) => !line.startsWith('    '));
  expect(told.at(-1), stderr).toBe(closing[0]);
  for (const words of says) expect(closing[0]).toMatch(words);
  expect(stderr).not.toMatch(/^\s+at .*(?:\.ts|\.js|node:[\w/]+):\d+/m);
  expect(stderr).not.toMatch(/\b(?:undefined|NaN|\[object Object\])/);
  for (const secret of [TEST_SECRET, ...secrets]) expect(stderr).not.toContain(secret);
}
