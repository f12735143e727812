import { expect, test } from 'vitest';
import { runInTerminal } from '../../../../src/shell/process/run-in-terminal.ts';

test.each([
  [0, ''],
  [130, 'Stopped.'],
  [3, 'Failed, exit code 3.'],
])('a program that ends with %d: "%s"', async (code, ended) => {
  const program = { file: '/bin/sh', args: ['-c', `exit ${code}`], cwd: '/' };
  expect(await runInTerminal(program, new AbortController().signal)).toBe(ended);
});
