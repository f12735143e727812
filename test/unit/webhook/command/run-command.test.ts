import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { NIL_MAP } from '../../../../src/go/go-value.ts';
import { type RunContext, runCommand } from '../../../../src/webhook/command/run-command.ts';
import { ServerEnvironment } from '../../../../src/webhook/command/server-environment.ts';
import { decodeHookText } from '../../../../src/webhook/file/load-hooks.ts';
import { MAX_LOGGED, redactor } from '../../../../src/webhook/log/redact.ts';

let temporary: string;
beforeEach(async () => {
  temporary = await mkdtemp(join(tmpdir(), 'run-command-'));
});
afterEach(() => rm(temporary, { recursive: true, force: true }));

const HOOK = {
  id: 'a',
  'execute-command': 'true',
  'pass-file-to-command': [{ source: 'raw-request-body', envname: 'BODY' }],
};
const REQUEST = {
  ...{ method: 'POST', remoteAddress: '1.2.3.4:5', body: Buffer.from('b') },
  ...{ headers: NIL_MAP, query: NIL_MAP, payload: NIL_MAP },
};

class BrokenEnvironment extends ServerEnvironment {
  override with(): never {
    throw new RangeError('too deep');
  }
}

async function theHook(fields: object = {}) {
  const text = Buffer.from(JSON.stringify([{ ...HOOK, ...fields }]));
  const { hooks } = await decodeHookText(text, { template: false, env: {} });
  const [hook] = hooks;
  if (hook === undefined) throw new Error('no hook');
  return hook;
}

test('what nobody foresaw fails the run, and its files go', async () => {
  const hook = await theHook();
  const lines: string[] = [];
  const services = {
    env: new BrokenEnvironment(['PATH=/usr/bin:/bin', `TMPDIR=${temporary}`]),
    starter: { start: () => Promise.reject(), backlog: 0, room: () => undefined },
  };
  const context: RunContext = {
    ...{ isFirstUse: () => false, logOn: true, maxOutput: 0 },
    log: (line) => void lines.push(line),
    logBare: () => {},
    redact: (text) => text,
  };
  const result = await runCommand(hook, REQUEST, services, context);
  expect(result).toMatchObject({ failed: true, failure: 'too deep' });
  expect(lines.at(-1)).toBe('error running the command of a: too deep');
  expect(await readdir(temporary)).toEqual([]);
});

test('the log shows the beginning of an output, and the answer all of it', async () => {
  const lines: string[] = [];
  const written = Buffer.alloc(MAX_LOGGED + 5, 'x');
  const ended = Promise.resolve({ code: 0, signal: null });
  const services = {
    env: new ServerEnvironment(['PATH=/usr/bin:/bin', `TMPDIR=${temporary}`]),
    starter: {
      start: async () => ({ pid: 0, outputs: [Readable.from([written])], ended }),
      ...{ backlog: 0, room: () => undefined },
    },
  };
  const result = await runCommand(await theHook(), REQUEST, services, {
    ...{ isFirstUse: () => false, logOn: true, maxOutput: Number.POSITIVE_INFINITY },
    log: (line) => void lines.push(line),
    logBare: () => {},
    redact: (text) => text,
  });
  expect(result.failed).toBe(false);
  expect(result.output.equals(written)).toBe(true);
  const logged = lines.find((line) => line.startsWith('command output: '));
  expect(logged).toBe(`command output: ${'x'.repeat(MAX_LOGGED)}\n[and 5 more bytes]\n`);
});

test('secrets are hidden in what a command gets, before control characters are made visible', async () => {
  const lines: string[] = [];
  const key = 'SECRET01\nSECRET02';
  const fields = {
    'pass-arguments-to-command': [
      { source: 'payload', name: 'pin' },
      { source: 'payload', name: 'a' },
    ],
    'pass-environment-to-command': [
      { source: 'payload', name: 'a' },
      { source: 'string', envname: 'DB_PASS', name: 'x' },
      { source: 'payload', envname: 'SSH_KEY', name: 'ssh_key' },
    ],
  };
  const payload = new Map([
    ['pin', '12'],
    ['a', '12 in x'],
    ['ssh_key', key],
    ['copy', key],
  ]);
  const ended = Promise.resolve({ code: 0, signal: null });
  const services = {
    env: new ServerEnvironment(['PATH=/usr/bin:/bin', `TMPDIR=${temporary}`]),
    starter: {
      start: async () => ({ pid: 0, outputs: [Readable.from([Buffer.from(`${key}\n12`)])], ended }),
      ...{ backlog: 0, room: () => undefined },
    },
  };
  const hook = await theHook(fields);
  const request = { ...REQUEST, payload };
  await runCommand(hook, request, services, {
    ...{ isFirstUse: () => false, logOn: true, maxOutput: MAX_LOGGED },
    log: (line) => void lines.push(line),
    logBare: () => {},
    redact: redactor(hook, request),
  });
  const text = lines.join('\n');
  expect(text).toContain('arguments ["true" "***" "12 in x"]');
  expect(text).toContain('environment [HOOK_a=12 in x DB_PASS=*** SSH_KEY=*** BODY=');
  expect(text).toContain('command output: ***\n12\n');
  expect(text).not.toContain('SECRET');
});
