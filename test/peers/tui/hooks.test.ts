import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hasTmux, openTmux } from '../../support/tmux-terminal.ts';
import { PROGRAMS, startWebhook, type WebhookServer } from '../../support/webhook-beside.ts';

const program = resolve(import.meta.dirname, '../../../dist/syncer.js');
let cwd: string;
let server: WebhookServer;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'hooks-screen-'));
  const script =
    'echo begun; while [ -d "$PWD" ] && [ ! -e go ]; do sleep 0.05; done; echo over; exit 3';
  const token = { type: 'value', value: 'main', parameter: { source: 'url', name: 'ref' } };
  const hooks = [
    {
      id: 'deploy',
      'execute-command': '/bin/sh',
      'pass-arguments-to-command': ['-c', script].map((name) => ({ source: 'string', name })),
      'trigger-rule': { match: token },
    },
    { id: 'idle', 'execute-command': '/bin/true' },
  ];
  await writeFile(join(cwd, 'hooks.json'), JSON.stringify(hooks));
  server = await startWebhook('ours', { cwd, args: ['-control', 'control.sock'] });
});
afterEach(async () => {
  server.kill('SIGKILL');
  await server.ended;
  await rm(cwd, { recursive: true, force: true });
});

const trigger = (ref: string) => server.exchange(`GET /hooks/deploy?ref=${ref} HTTP/1.0\r\n\r\n`);
async function open(columns = 90, rows = 20) {
  const terminal = await openTmux({ columns, rows, cwd, env: { HOME: cwd } });
  await terminal.type(
    `clear; ${process.execPath} ${program} hooks --control control.sock; echo ended $?`,
  );
  await terminal.keys('Enter');
  return terminal;
}

describe.skipIf(!hasTmux)('syncer hooks on a terminal', () => {
  test('shows hooks, says why a request was refused, follows a run and runs it again', async () => {
    const terminal = await open();
    await terminal.waitFor(['deploy', 'idle', 'no request yet', '2 hooks']);
    await trigger('dev');
    await terminal.waitFor(['refused', 'value of url "ref": it is "dev", not "main"']);
    await trigger('main');
    await terminal.waitFor(['running', '1 running']);
    await terminal.keys('Enter');
    await terminal.waitFor([/running.*\n.*refused/]);
    await terminal.keys('Enter');
    await terminal.waitFor(['output, 1 line, following', 'begun']);
    await writeFile(join(cwd, 'go'), '');
    await terminal.waitFor(['over', 'failed: exit status 3']);
    await terminal.keys('r');
    await terminal.waitFor(/Run deploy again with the request of \S+\?/);
    await terminal.keys('y');
    await terminal.waitFor([/again +repeats run/, 'failed: exit status 3', 'over']);
    await terminal.keys('?');
    await terminal.waitFor('follow the output');
    await terminal.keys('x', 'q', 'q', 'q');
    await terminal.waitFor('ended 0');
  });

  test('tells that the server is gone, and fits a small terminal', async () => {
    const terminal = await open(40, 8);
    await terminal.waitFor(['deploy', 'idle']);
    server.kill('SIGKILL');
    await terminal.waitFor('The server stopped');
    await terminal.keys('q');
    await terminal.waitFor('ended 0');
  });
});

describe.skipIf(!hasTmux)('webhook on a terminal', () => {
  test('a terminal that is held does not stop the answering', async () => {
    const socket = join(cwd, 'socket');
    const long = `/hooks/idle?${'y'.repeat(200)}`;
    const terminal = await openTmux({ cwd, columns: 200 });
    const [command, ...words] = PROGRAMS.ours;
    await terminal.type(`${[command, ...words].join(' ')} -verbose -socket ${socket}\n`);
    await terminal.waitFor('serving hooks');
    await terminal.keys('C-s');
    const asked = async (path: string) => {
      const client = connect(socket);
      client.write(`GET ${path} HTTP/1.0\r\n\r\n`);
      return text(client);
    };
    for (let i = 0; i < 200; i++) expect(await asked(long)).toMatch(/ 200 OK/);
    expect(await asked('/hooks/idle?the-last')).toMatch(/ 200 OK/);
    await terminal.keys('C-q');
    await terminal.waitFor('/hooks/idle?the-last');
    await terminal.keys('C-c');
    // The shell that shares the terminal reads and writes as before.
    await terminal.type('seq 30000 | tail -n 1\n');
    await terminal.waitFor('30000');
  });
});
