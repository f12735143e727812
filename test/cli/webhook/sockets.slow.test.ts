import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { PROGRAMS, startWebhook, type WebhookServer } from '../../support/webhook-beside.ts';

let cwd: string;
const ends: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'webhook-sockets-'));
  const script =
    'while [ -d "$PWD" ] && [ ! -e go ]; do sleep 0.02; done; echo x >> out; echo ready';
  const shell = {
    'execute-command': '/bin/sh',
    'pass-arguments-to-command': ['-c', script].map((name) => ({ source: 'string', name })),
  };
  const hooks = [
    { id: 'held', ...shell, 'include-command-output-in-response': true },
    { id: 'one', ...shell, 'max-concurrency': 1 },
    {
      id: 'variables',
      'execute-command': '/usr/bin/env',
      'include-command-output-in-response': true,
    },
    {
      id: 'descriptors',
      'execute-command': '/bin/ls',
      'pass-arguments-to-command': ['-l', '/proc/self/fd'].map((name) => ({
        source: 'string',
        name,
      })),
      'include-command-output-in-response': true,
    },
  ];
  await writeFile(join(cwd, 'hooks.json'), JSON.stringify(hooks));
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  await rm(cwd, { recursive: true, force: true, maxRetries: 5 });
});

/** Sends a request to a path or a port and gives the answer. */
async function ask(where: string | number, path: string): Promise<string> {
  const socket = typeof where === 'string' ? connect(where) : connect(where, '127.0.0.1');
  let answer = '';
  socket.setEncoding('latin1').on('data', (piece) => {
    answer += piece;
  });
  socket.write(`GET ${path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`);
  await once(socket, 'close');
  return answer;
}

function startAt(path: string, ...args: string[]) {
  const [command, ...words] = PROGRAMS.ours;
  const child = spawn(command, [...words, '-verbose', '-socket', path, ...args], { cwd });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (piece) => {
    log += piece;
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  ends.push(() => {
    child.kill('SIGKILL');
    return ended;
  });
  return { child, ended, log: () => log };
}

describe('-socket', () => {
  test('listens there and nowhere else, and takes it away at the end', async () => {
    const path = join(cwd, 'hook.sock');
    const { child, ended, log } = startAt(path);
    await waitFor(() => log().includes('serving hooks on'), ended);
    expect(log()).toContain(`serving hooks on http://{unix:${path}}/hooks/{id}`);
    expect(await ask(path, '/')).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(await ask(path, '/hooks/nope')).toMatch(/Hook not found\.$/);
    expect(log()).toContain('incoming HTTP GET request from @');
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    expect(existsSync(path)).toBe(false);
  });

  test('replaces one that a killed server left', async () => {
    const path = join(cwd, 'hook.sock');
    const first = startAt(path);
    await waitFor(() => first.log().includes('serving hooks on'), first.ended);
    first.child.kill('SIGKILL');
    await first.ended;
    expect((await stat(path)).isSocket()).toBe(true);
    const second = startAt(path);
    await waitFor(() => second.log().includes('serving hooks on'), second.ended);
    expect(await ask(path, '/')).toMatch(/^HTTP\/1\.1 200 OK/);
  });

  test.each([
    ['-socket', []],
    ['-control', ['-control', 'control.sock']],
  ])('leaves those of its successor at the end: %s', async (_, args) => {
    const paths = [join(cwd, 'hook.sock'), ...args.slice(1).map((name) => join(cwd, name))];
    const [path = ''] = paths;
    const first = startAt(path, ...args);
    await waitFor(() => first.log().includes('serving hooks on'), first.ended);
    for (const one of paths) await rm(one);
    const second = startAt(path, ...args);
    await waitFor(() => second.log().includes('serving hooks on'), second.ended);
    first.child.kill('SIGTERM');
    expect(await first.ended).toBe(0);
    expect(await ask(path, '/')).toMatch(/^HTTP\/1\.1 200 OK/);
    for (const one of paths) expect((await stat(one)).isSocket()).toBe(true);
  });

  test('does not take one away that is in use, nor a file', async () => {
    const path = join(cwd, 'hook.sock');
    const other = createServer().listen(path);
    await once(other, 'listening');
    ends.push(async () => other.close());
    await writeFile(join(cwd, 'file'), 'kept');
    const file = join(cwd, 'file');
    for (const [taken, why] of [
      [path, 'bind: address already in use'],
      [file, `${file} exists and is not a socket`],
    ] as const) {
      const { ended, log } = startAt(taken);
      expect(await ended).toBe(1);
      expect(log()).toContain(`error listening on socket: listen unix ${taken}: ${why}\n`);
      expect(existsSync(taken)).toBe(true);
    }
  });

  test('says that there is no such directory', async () => {
    const path = join(cwd, 'none/hook.sock');
    const { ended, log } = startAt(path);
    expect(await ended).toBe(1);
    expect(log()).toContain(`listen unix ${path}: bind: no such file or directory\n`);
  });
});

describe('a socket from systemd', () => {
  test('is used, and commands know nothing of it', async () => {
    const listener = createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const address = listener.address() as { port: number };
    ends.push(async () => listener.close());
    // The shell's number is the server's, as that of a service is.
    const words = PROGRAMS.ours.map((word) => `'${word}'`).join(' ');
    const script = `LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=x exec ${words} -verbose`;
    const handle = (listener as unknown as { _handle: { fd: number } })._handle;
    const child = spawn('/bin/sh', ['-c', script], {
      cwd,
      stdio: ['ignore', 'ignore', 'pipe', handle.fd],
    });
    const ended = once(child, 'close');
    ends.push(() => {
      child.kill('SIGKILL');
      return ended;
    });
    let log = '';
    child.stderr?.setEncoding('utf8').on('data', (piece) => {
      log += piece;
    });
    await waitFor(() => log.includes('serving hooks on'), ended);
    expect(log).toContain(`serving hooks on http://127.0.0.1:${address.port}/hooks/{id}`);
    listener.removeAllListeners('connection');
    // This process holds the socket open too; only the server may accept.
    await writeFile(join(cwd, 'go'), '');
    const answers = await askUntilServed(address.port);
    expect(answers.variables).not.toMatch(/LISTEN_/);
    expect(answers.descriptors).toContain('/dev/null');
    expect(answers.descriptors).not.toContain('socket:');
  });

  test('for another process is not', async () => {
    const env = { LISTEN_PID: '1', LISTEN_FDS: '1' };
    const server = await startWebhook('ours', { cwd, args: ['-verbose'], env });
    ends.push(async () => {
      server.kill('SIGKILL');
      await server.ended;
    });
    expect(await ask(server.port, '/')).toMatch(/^HTTP\/1\.1 200 OK/);
  });
});

/** Asks until the server, not this process, took the connection. */
async function askUntilServed(port: number) {
  const get = async (path: string) => {
    for (let tries = 0; tries < 50; tries++) {
      const answer = await Promise.race([
        ask(port, path).catch(() => ''),
        new Promise<string>((resolve) => setTimeout(resolve, 500, '')),
      ]);
      if (answer !== '') return answer;
    }
    return '';
  };
  return { variables: await get('/hooks/variables'), descriptors: await get('/hooks/descriptors') };
}

describe('when it is told to stop', () => {
  const start = (...args: string[]) => startWith('-verbose', ...args);
  const startWith = async (...args: string[]): Promise<WebhookServer> => {
    const server = await startWebhook('ours', { cwd, args });
    ends.push(async () => {
      server.kill('SIGKILL');
      await server.ended;
    });
    return server;
  };
  const begun = (server: WebhookServer, count: number) =>
    waitFor(() => server.seen.stderr.split('executing /bin/sh').length > count);

  test('what is being answered is answered', async () => {
    const server = await start();
    const answer = ask(server.port, '/hooks/held');
    await begun(server, 1);
    server.kill('SIGTERM');
    await waitFor(() => server.seen.stderr.includes('exiting'));
    await expect(ask(server.port, '/')).rejects.toThrow(/ECONNREFUSED|ECONNRESET/);
    await writeFile(join(cwd, 'go'), '');
    expect(await answer).toMatch(/ready\n$/);
    expect(await server.ended).toBe(0);
  });

  test('runs that wait begin first', async () => {
    const server = await start();
    for (let i = 0; i < 3; i++) await ask(server.port, '/hooks/one');
    await begun(server, 1);
    server.kill('SIGTERM');
    await writeFile(join(cwd, 'go'), '');
    expect(await server.ended).toBe(0);
    expect(server.seen.stderr.split('executing /bin/sh')).toHaveLength(4);
  });

  test.each([[[]], [['-logfile', 'log']]])(
    'discarded runs are on standard error, also after a second signal: %j',
    async (flags) => {
      const server = await startWith('-stop-timeout', '1000', ...flags);
      for (let i = 0; i < 3; i++) await ask(server.port, '/hooks/one');
      server.kill('SIGTERM');
      const serves = () =>
        ask(server.port, '/').then(
          () => true,
          () => false,
        );
      while (await serves());
      server.kill('SIGTERM');
      expect(await server.ended).toBe(0);
      expect(server.seen.stderr).toMatch(/^\[webhook\] .{19} discarded 2 queued run\(s\)\n$/);
      await writeFile(join(cwd, 'go'), '');
    },
  );

  test('-stop-timeout 0 and a second signal end it at once', async () => {
    const atOnce = await start('-stop-timeout', '0');
    for (let i = 0; i < 3; i++) await ask(atOnce.port, '/hooks/one');
    await begun(atOnce, 1);
    atOnce.kill('SIGTERM');
    expect(await atOnce.ended).toBe(0);
    expect(atOnce.seen.stderr.match(/ one was not run: the server stopped$/gm)).toHaveLength(2);
    expect(atOnce.seen.stderr.match(/ discarded 2 queued run\(s\)$/gm)).toHaveLength(1);
    const twice = await start('-stop-timeout', '1000');
    void ask(twice.port, '/hooks/held');
    await begun(twice, 1);
    twice.kill('SIGINT');
    await waitFor(() => twice.seen.stderr.includes('caught interrupt signal; exiting'));
    twice.kill('SIGINT');
    expect(await twice.ended).toBe(0);
    await writeFile(join(cwd, 'go'), '');
    const out = join(cwd, 'out');
    await waitFor(() => existsSync(out) && readFileSync(out, 'utf8') !== '');
  });
});
