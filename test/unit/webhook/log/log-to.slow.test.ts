import { execFileSync, spawn } from 'node:child_process';
import {
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  openUnblocked,
  type UnblockedLog,
  unblockedDescriptor,
} from '../../../../src/system/unblocked-log.ts';
import { HookLog, hookLogFile, writesTo } from '../../../../src/webhook/log/hook-log.ts';
import { waitFor } from '../../../support/wait-for.ts';

let folder: string;
let pipe: string;
let descriptor: number;
let file: UnblockedLog;
let log: HookLog;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'log-to-'));
  pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  descriptor = openUnblocked(pipe, 0o600);
  file = hookLogFile(descriptor);
  log = new HookLog(writesTo(file));
});
afterEach(() => {
  closeSync(descriptor);
  rmSync(folder, { recursive: true });
});

const LINE = `${'x'.repeat(999)}\n`;

/** Takes what a pipe holds now. */
function take(): string {
  const bytes = Buffer.alloc(1 << 20);
  try {
    return bytes.toString('latin1', 0, readSync(descriptor, bytes));
  } catch {
    return '';
  }
}

test('a reader that is behind gets every line', async () => {
  const reader = spawn('sh', ['-c', 'sleep 0.1; head -n 300 "$0" | wc -l', pipe]);
  for (let line = 0; line < 300; line++) log.raw(LINE);
  expect(await text(reader.stdout)).toMatch(/^ *300\n$/);
});

test('what nobody reads waits up to a limit; the rest is counted and said when somebody reads', async () => {
  for (let line = 0; line < 10_000; line++) log.raw(`${line} ${LINE}`);
  let seen = '';
  await waitFor(() => {
    seen += take();
    return seen.includes('dropped');
  });
  const lines = seen.split('\n').slice(0, -1);
  const kept = lines.length - 1;
  expect(lines.slice(0, kept).map(Number.parseFloat)).toEqual(
    Array.from(lines.keys()).slice(0, kept),
  );
  expect(lines.at(-1)).toMatch(
    new RegExp(` dropped ${10_000 - kept} line\\(s\\) of the log: it had no reader, or was full$`),
  );
  log.raw('next\n');
  expect(take()).toBe('next\n');
});

test('lines that a full disk lost are counted in the next file', () => {
  const full = hookLogFile(openSync('/dev/full', 'w'));
  full.write(Buffer.from('one\ntwo\n'));
  const next = join(folder, 'next');
  full.replace(openUnblocked(next, 0o600));
  full.write(Buffer.from('three\n'));
  expect(readFileSync(next, 'latin1')).toMatch(/dropped 2 line\(s\) of the log.*\nthree\n$/);
});

test('at the end what waits is written, as far as it is read', async () => {
  for (let line = 0; line < 300; line++) log.raw(LINE);
  const reader = spawn('sh', ['-c', 'head -n 300 "$0" | wc -l', pipe]);
  const counted = text(reader.stdout);
  file.flush();
  expect(await counted).toMatch(/^ *300\n$/);
});

test('what waits goes to the file that is opened next', () => {
  const name = join(folder, 'log');
  const target = hookLogFile(openUnblocked(name, 0o600));
  target.write(Buffer.from('one\n'));
  renameSync(name, `${name}.1`);
  target.replace(openUnblocked(name, 0o600));
  target.write(Buffer.from('two\n'));
  expect(readFileSync(`${name}.1`, 'latin1')).toBe('one\n');
  expect(readFileSync(name, 'latin1')).toBe('two\n');
});

test('the descriptor that others share still blocks', () => {
  const shared = openSync(pipe, constants.O_RDWR);
  const own = unblockedDescriptor(shared);
  const flagsOf = (fd: number) =>
    Number.parseInt(
      /flags:\s*(\d+)/.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1] ?? '',
      8,
    );
  expect(own).not.toBe(shared);
  expect([shared, own].map((fd) => flagsOf(fd) & constants.O_NONBLOCK)).toEqual([
    0,
    constants.O_NONBLOCK,
  ]);
  for (const fd of [shared, own]) closeSync(fd);
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
