import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findCommand } from '../../../../src/webhook/command/run-command.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'find-command-'));
  await writeFile(join(folder, 'tool'), '#!/bin/sh\n');
  await chmod(join(folder, 'tool'), 0o755);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('a command keeps the name that it was given, which is what a script sees as $0', () => {
  const near = relative(process.cwd(), join(folder, 'tool'));
  expect(findCommand(near, '', '')).toEqual({ shown: near, path: near });
  const around = `${folder}/../${relative(tmpdir(), folder)}/tool`;
  expect(findCommand(around, '', '').path).toBe(around);
  expect(findCommand(around, '/usr', '').path).toBe(around);
});

test('below a working directory that is relative it is made absolute', () => {
  const near = relative(process.cwd(), folder);
  expect(findCommand('./tool', near, '').path).toBe(join(folder, 'tool'));
  expect(findCommand('tool', '', folder).path).toBe(join(folder, 'tool'));
});

test('what cannot be found is told', () => {
  expect(() => findCommand(join(folder, 'tool/x'), '', '')).toThrow(/tool\/x: not a directory$/);
  expect(() => findCommand('/no/such', '', '')).toThrow(
    /stat \/no\/such: no such file or directory$/,
  );
});
