import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SELF_SIGNED_CERTIFICATE, SELF_SIGNED_KEY } from '../../support/self-signed.ts';
import { waitFor } from '../../support/wait-for.ts';
import { PROGRAMS } from '../../support/webhook-beside.ts';

const NOBODY = 65534;
let cwd: string;
const ends: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'webhook-privileges-'));
});
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  await rm(cwd, { recursive: true, force: true, maxRetries: 5 });
});

describe.skipIf(process.getuid?.() !== 0)('-setuid and -setgid as root', () => {
  test('server, files and commands belong to that user, with that group alone', async () => {
    const words = ['-E', '^(Uid|Gid|Groups|CapEff):', '/proc/self/status'];
    const hook = {
      id: 'who',
      'execute-command': '/bin/grep',
      'pass-arguments-to-command': words.map((name) => ({ source: 'string', name })),
      'include-command-output-in-response': true,
    };
    await writeFile(join(cwd, 'hooks.json'), JSON.stringify([hook]));
    await chmod(cwd, 0o755);
    await chown(cwd, NOBODY, NOBODY);
    const { child, ended, port, seen } = await start([
      ...['-verbose', '-logfile', 'log', '-pidfile', 'pid', '-control', 'control.sock'],
    ]);
    await waitFor(() => seen.log.includes('serving hooks on'), ended);
    expect(seen.stderr).toBe('');
    const answer = await (await fetch(`http://127.0.0.1:${port}/hooks/who`)).text();
    expect(answer).toMatch(
      /^Uid:(\t65534){4}\nGid:(\t65534){4}\nGroups:\t65534 ?\nCapEff:\t0{16}\n$/,
    );
    for (const name of ['log', 'pid', 'control.sock']) {
      expect(await stat(join(cwd, name))).toMatchObject({ uid: NOBODY, gid: NOBODY });
    }
    const threads = await readFile(`/proc/${child.pid}/status`, 'utf8');
    expect(threads).toMatch(/\nUid:(\t65534){4}\n/);
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  test("a key, a pid file and a status socket of root's are there before privileges are dropped", async () => {
    await writeFile(join(cwd, 'hooks.json'), '[{"id":"a"}]');
    await writeFile(join(cwd, 'c.pem'), SELF_SIGNED_CERTIFICATE);
    await writeFile(join(cwd, 'k.pem'), SELF_SIGNED_KEY, { mode: 0o600 });
    await chmod(cwd, 0o755);
    const { child, ended, seen } = await start([
      ...['-verbose', '-secure', '-cert', 'c.pem', '-key', 'k.pem'],
      ...['-pidfile', 'pid', '-status', `unix:${join(cwd, 'status')}`],
    ]);
    await waitFor(() => seen.stderr.includes('serving hooks on https'), ended);
    expect(await readFile(join(cwd, 'pid'), 'utf8')).toBe(String(child.pid));
    child.kill('SIGHUP');
    const unread = 'open k.pem: permission denied; the certificate loaded before stays in use';
    await waitFor(() => seen.stderr.includes(unread), ended);
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(seen.stderr).toMatch(/Failed to remove socket file .*status: permission denied\n$/);
  });

  test('-hotreload says that a key of root needs a restart to be renewed', async () => {
    await writeFile(join(cwd, 'hooks.json'), '[{"id":"a"}]');
    await writeFile(join(cwd, 'c.pem'), SELF_SIGNED_CERTIFICATE);
    await writeFile(join(cwd, 'k.pem'), SELF_SIGNED_KEY, { mode: 0o600 });
    await chmod(cwd, 0o755);
    const secure = ['-secure', '-cert', 'c.pem', '-key', 'k.pem', '-verbose', '-hotreload'];
    const { ended, seen } = await start(secure);
    await waitFor(() => seen.stderr.includes('serving hooks on https'), ended);
    expect(seen.stderr).toContain(
      'open k.pem: permission denied; a renewed certificate needs a restart\n',
    );
    expect(seen.stderr).not.toContain('stays in use');
  });
});

/** Starts a server that drops privileges; `seen` is what it writes to its log file and to standard error. */
async function start(args: readonly string[]) {
  const port = await freePort();
  const [command, ...program] = PROGRAMS.ours;
  const place = ['-ip', '127.0.0.1', '-port', `${port}`];
  const user = ['-setuid', `${NOBODY}`, '-setgid', `${NOBODY}`];
  const stdio = ['ignore', 'ignore', 'pipe'] as const;
  const child = spawn(command, [...program, ...place, ...args, ...user], {
    cwd,
    stdio: [...stdio],
  });
  const ended = once(child, 'close');
  const seen = { log: '', stderr: '' };
  child.stderr?.setEncoding('utf8').on('data', (piece) => {
    seen.stderr += piece;
  });
  const reading = setInterval(() => {
    void readFile(join(cwd, 'log'), 'utf8').then(
      (text) => {
        seen.log = text;
      },
      () => {},
    );
  }, 5);
  ends.push(() => {
    clearInterval(reading);
    child.kill('SIGKILL');
    return ended;
  });
  return { child, ended, port, seen };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
