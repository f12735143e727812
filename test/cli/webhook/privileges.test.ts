import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
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
    const port = await freePort();
    const [command, ...program] = PROGRAMS.ours;
    const args = ['-ip', '127.0.0.1', '-port', `${port}`, '-verbose', '-logfile', 'log'];
    const child = spawn(
      command,
      [
        ...[...program, ...args, '-pidfile', 'pid', '-control', 'control.sock'],
        ...['-setuid', `${NOBODY}`, '-setgid', `${NOBODY}`],
      ],
      { cwd, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    const ended = once(child, 'close');
    ends.push(() => {
      child.kill('SIGKILL');
      return ended;
    });
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (piece) => {
      said += piece;
    });
    let log = '';
    await waitFor(() => {
      void readFile(join(cwd, 'log'), 'utf8').then(
        (text) => {
          log = text;
        },
        () => {},
      );
      return log.includes('serving hooks on');
    }, ended);
    expect(said).toBe('');
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
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
