import { execFileSync, spawn } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { HookLog, logTo } from '../../../../src/webhook/log/hook-log.ts';

let folder: string;
let pipe: string;
let descriptor: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'log-to-'));
  pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  descriptor = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
});
afterEach(() => {
  closeSync(descriptor);
  rmSync(folder, { recursive: true });
});

const LINE = `${'x'.repeat(999)}\n`;

test('a reader that is behind gets every line', async () => {
  const reader = spawn('sh', ['-c', 'sleep 0.1; head -n 300 "$0" | wc -l', pipe]);
  const log = logTo(descriptor);
  for (let line = 0; line < 300; line++) log.raw(LINE);
  expect(await text(reader.stdout)).toMatch(/^ *300\n$/);
});

test('a reader that takes nothing holds the writer up once', () => {
  const log = logTo(descriptor);
  for (let line = 0; line < 10_000; line++) log.raw(LINE);
});

test('a line is searched for secrets of the server, and for no names of secrets', () => {
  let written = '';
  const log = new HookLog((line) => {
    written += line;
  });
  log.secrets = ['of-the-server'];
  log.line('arguments ["of-the-server"] and environment [TOKEN=***] of token=a');
  expect(written).toContain('arguments ["***"] and environment [TOKEN=***] of token=a');
});
