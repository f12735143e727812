import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  controlPaths,
  serveControl,
  serverControlPath,
} from '../../../../src/webhook/control/answer-control.ts';
import {
  ControlClient,
  type ControlEvent,
} from '../../../../src/webhook/control/control-client.ts';
import type { Hook } from '../../../../src/webhook/hook.ts';
import { RunLedger } from '../../../../src/webhook/run/run-ledger.ts';
import { run } from '../../components/hooks/screen-world.ts';

const request = (body = '') => ({
  ...{ method: 'GET', remoteAddress: '127.0.0.1:1', headers: new Map(), query: new Map() },
  ...{ payload: new Map(), body: Buffer.from(body) },
});
let folder: string;
let path: string;
let server: Server;
let ledger: RunLedger;
let reload: () => void;
let client: ControlClient;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'control-'));
  path = join(folder, 'socket');
  ledger = new RunLedger({ maxOver: 5, maxRequestBytes: 10, maxOutputBytes: 100 });
  const listeners = new Set<() => void>();
  reload = () => {
    for (const listener of listeners) listener();
  };
  const without = { arguments: [], environment: [], files: [], secrets: [] };
  const hooks = [{ id: 'deploy', executeCommand: '/bin/x', ...without } as unknown as Hook];
  server = createServer((socket) =>
    serveControl(socket, {
      ledger,
      hooks: () => hooks,
      secrets: () => ['of-the-server'],
      onReload: (listener) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
      rerun: (old) => {
        ledger.open(run('again', { state: 'running', rerunOf: old.id }), request());
        return 'again';
      },
    }),
  ).listen(path);
  await once(server, 'listening');
  client = await ControlClient.open(path);
});
afterEach(async () => {
  client.close();
  server.close();
  await rm(folder, { recursive: true, force: true });
});

/** Waits for an event that fits. */
function heard(fits: (event: ControlEvent) => boolean): Promise<ControlEvent> {
  return new Promise((resolve) => {
    const stop = client.on((event) => {
      if (!fits(event)) return;
      stop();
      resolve(event);
    });
  });
}

describe('a client', () => {
  test('asks for hooks, runs and one run', async () => {
    ledger.open(run('1', { state: 'running' }), request('[1]'));
    ledger.output('1', Buffer.from('so far'));
    expect(await client.hooks()).toMatchObject([
      { id: 'deploy', command: '/bin/x', running: 1, waiting: 0, last: { id: '1' } },
    ]);
    expect(await client.history()).toMatchObject([{ id: '1', state: 'running' }]);
    expect(await client.run('1')).toEqual({
      run: run('1', { state: 'running' }),
      output: Buffer.from('so far').toString('base64'),
      canRerun: true,
      request: { headers: [], body: '[\n  1\n]', bodyBytes: 3 },
    });
  });

  test('hears of runs and reloads', async () => {
    await client.watch();
    const told = heard(({ event }) => event === 'run');
    ledger.open(run('1'), request());
    expect(await told).toEqual({ event: 'run', run: run('1') });
    const loaded = heard(({ event }) => event === 'hooks');
    reload();
    expect(await loaded).toMatchObject({ hooks: [{ id: 'deploy' }] });
  });

  test('follows a run from its beginning to its end', async () => {
    ledger.open(run('1', { state: 'running' }), request());
    ledger.output('1', Buffer.from('one '));
    const seen: string[] = [];
    client.on((event) => {
      if (event.event === 'output') seen.push(Buffer.from(event.data, 'base64').toString());
    });
    const over = heard(({ event }) => event === 'end');
    await client.follow('1');
    ledger.output('1', Buffer.from('two'));
    ledger.change('1', { state: 'failed', failure: 'exit status 1' });
    expect(await over).toMatchObject({ run: { id: '1', failure: 'exit status 1' } });
    expect(seen).toEqual(['one ', 'two']);
  });

  test('runs again, where the request is kept', async () => {
    ledger.open(run('1'), request());
    ledger.open(run('2'), request('too large to be kept'));
    expect(await client.rerun('1')).toMatchObject({ id: 'again', rerunOf: '1' });
    await expect(client.rerun('2')).rejects.toThrow('too large to be kept');
    await expect(client.rerun('3')).rejects.toThrow('no run 3');
  });

  test('learns that the server is gone', async () => {
    const waiting = client.follow('x').catch((thrown: Error) => thrown.message);
    await waiting;
    server.close();
    await client.watch();
    client.close();
    await client.closed;
    await expect(client.hooks()).rejects.toThrow('closed the connection');
  });

  test('says where it found nobody', async () => {
    await expect(ControlClient.open(join(folder, 'none'))).rejects.toThrow(
      /no hook server listens at .*none; start it with webhook -control/,
    );
  });
});

describe('nonsense on the socket', () => {
  test.each(['no json\n', '{"number":1}\n{', 'x'.repeat(100_000), '\n\n', '[]\n', 'null\n'])(
    'does no harm: %#',
    async (text) => {
      const socket = connect(path).on('error', () => {});
      socket.end(text);
      socket.resume();
      await once(socket, 'close');
      expect(await client.history()).toEqual([]);
    },
  );
});

describe('where the socket lies', () => {
  test.each([
    [{ RUNTIME_DIRECTORY: '/run/hook:/run/other' }, 0, '/run/hook/control.sock'],
    [{}, 0, '/run/webhook/control.sock'],
    [{ XDG_RUNTIME_DIR: '/run/user/5' }, 5, '/run/user/5/webhook/control.sock'],
    [{}, 5, undefined],
  ])('%j of user %d: %s', (env, uid, expected) => {
    expect(serverControlPath(env, uid)).toBe(expected);
    if (expected === undefined || 'RUNTIME_DIRECTORY' in env) return;
    expect(controlPaths(env)).toContain(expected);
  });
});
