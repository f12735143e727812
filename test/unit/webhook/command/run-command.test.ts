import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { NIL_MAP } from '../../../../src/go/go-value.ts';
import { type RunContext, runCommand } from '../../../../src/webhook/command/run-command.ts';
import { ServerEnvironment } from '../../../../src/webhook/command/server-environment.ts';
import { decodeHookText } from '../../../../src/webhook/file/load-hooks.ts';

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

test('what nobody foresaw fails the run, and its files go', async () => {
  const { hooks } = await decodeHookText(Buffer.from(JSON.stringify([HOOK])), {
    template: false,
    env: {},
  });
  const [hook] = hooks;
  if (hook === undefined) throw new Error('no hook');
  const lines: string[] = [];
  const services = {
    env: new BrokenEnvironment(['PATH=/usr/bin:/bin', `TMPDIR=${temporary}`]),
    starter: { start: () => Promise.reject(), backlog: 0, room: () => undefined },
  };
  const context: RunContext = {
    ...{ isFirstUse: () => false, logOn: true, maxOutput: 0 },
    log: (line) => void lines.push(line),
    logBare: () => {},
  };
  const result = await runCommand(hook, REQUEST, services, context);
  expect(result).toMatchObject({ failed: true, failure: 'too deep' });
  expect(lines.at(-1)).toBe('error running the command of a: too deep');
  expect(await readdir(temporary)).toEqual([]);
});
