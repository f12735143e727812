import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { nameFromBytes } from '../../../src/core/name-bytes.ts';
import { exactCommand } from '../../../src/system/exact-command.ts';

const BYTE = '\udcff';

test('a program of UTF-8 is started as it is', () => {
  const start = { file: 'rclone', args: ['ls', 'ü'], cwd: '/tmp', env: { A: 'é' } };
  expect(exactCommand(start)).toEqual(start);
});

test('words, the directory and variables arrive with all bytes', () => {
  const print = 'printf "%s|" "$@"; pwd; printf "%s" "$NOTED"';
  const { file, args, cwd, env } = exactCommand({
    file: '/bin/sh',
    args: ['-c', print, 'sh', `a${BYTE}'"$(x)\\n`, '', `line${BYTE}\n\n`, 'ü %s'],
    cwd: '/tmp',
    env: { PATH: process.env['PATH'], NOTED: `v${BYTE}`, 'f%%': BYTE },
  });
  const output = nameFromBytes(execFileSync(file, args, { cwd, env }));
  expect(output).toBe(`a${BYTE}'"$(x)\\n||line${BYTE}\n\n|ü %s|/tmp\nv${BYTE}`);
});
