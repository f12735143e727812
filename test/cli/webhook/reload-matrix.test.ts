import { execFileSync } from 'node:child_process';
import {
  appendFile,
  mkdir,
  mkdtemp,
  open,
  rename,
  rm,
  symlink,
  truncate,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isBeingWritten } from '../../../src/webhook/server/watch-hooks.ts';
import { testOfAll } from '../../support/in-part.ts';
import { waitFor } from '../../support/wait-for.ts';
import { startWebhook, type WebhookServer } from '../../support/webhook-beside.ts';

let cwd: string;
let server: WebhookServer | undefined;
const undo: (() => unknown)[] = [];
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'webhook-matrix-'));
});
afterEach(async () => {
  server?.kill('SIGKILL');
  await server?.ended;
  server = undefined;
  for (const step of undo.splice(0).reverse()) await step();
  await rm(cwd, { recursive: true, force: true, maxRetries: 5 });
});

/** A hook file whose hook answers with its version; long enough to be written in halves. */
const hooks = (version: number) => {
  const filler = Array.from({ length: 50 }, (_, i) => ({ id: `filler-${i}` }));
  const hook = { id: 'hook', 'execute-command': 'true', 'response-message': `version ${version}` };
  return JSON.stringify([hook, ...filler], undefined, 1);
};

/** Asks for the hook about a hundred times a second over one connection and keeps all answers. */
function poll(port: number) {
  const answers: string[] = [];
  const socket: Socket = connect(port, '127.0.0.1').setEncoding('latin1');
  let stopped = false;
  const ask = () =>
    new Promise<string>((resolve, reject) => {
      let answer = '';
      const take = (piece: string) => {
        answer += piece;
        const [head = '', body = ''] = answer.split('\r\n\r\n');
        if (body.length < Number(/Content-Length: (\d+)/.exec(head)?.[1] ?? Infinity)) return;
        socket.off('data', take);
        socket.off('close', reject);
        resolve(body);
      };
      socket.on('data', take);
      socket.on('close', reject);
      socket.write('GET /hooks/hook HTTP/1.1\r\nHost: h\r\n\r\n');
    });
  const done = (async () => {
    while (!stopped) {
      answers.push(await ask());
      await sleep(10);
    }
    socket.destroy();
  })();
  const stop = () => {
    stopped = true;
    return done;
  };
  return { answers, stop };
}

/** Makes edits, each of which ends with another version in the file, and polls meanwhile. */
async function survive(
  file: string,
  edits: readonly ((version: number) => Promise<unknown> | unknown)[],
): Promise<void> {
  server = await startWebhook('ours', { cwd, args: ['-hotreload', '-hooks', file] });
  const { answers, stop } = poll(server.port);
  await waitFor(() => answers.length > 0);
  let version = 1;
  for (const edit of edits) {
    await edit(++version);
    await waitFor(() => answers.at(-1) === `version ${version}`);
  }
  await stop();
  expect(answers.filter((answer) => !answer.startsWith('version '))).toEqual([]);
}

const path = (name: string) => join(cwd, name);
const write = (name: string, version: number) => writeFile(path(name), hooks(version));
const over = async (name: string, version: number) => {
  await write(`${name}.new`, version);
  await rename(path(`${name}.new`), path(name));
};
const again = async (name: string, version: number) => {
  await unlink(path(name));
  await sleep(300);
  await write(name, version);
};
/** Empty for a moment, then half of it for longer than the server waits, then all. */
const inHalves = async (name: string, version: number) => {
  const text = hooks(version);
  await truncate(path(name));
  await sleep(300);
  await appendFile(path(name), text.slice(0, text.length / 2));
  await sleep(700);
  await appendFile(path(name), text.slice(text.length / 2));
};
/** Twice the beginning, which can be loaded, first closed and then open, each for less than the server waits. */
const haltingly = async (name: string, version: number) => {
  const half = '- {id: hook, execute-command: true, response-message: half}\n';
  await writeFile(path(name), half);
  await sleep(100);
  const isKnown = (await isBeingWritten(path(name))) !== undefined;
  const file = await open(path(name), 'w');
  await file.writeFile(half);
  await sleep(isKnown ? 1500 : 700);
  await file.truncate();
  await file.write(hooks(version), 0);
  await file.close();
};
const git = (...words: string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...words], {
    cwd,
    stdio: 'ignore',
  });

describe('a hook is never missing', () => {
  test('while its file is edited in every way there is', async () => {
    await write('hooks.json', 1);
    const name = 'hooks.json';
    await survive(name, [
      (version) => write(name, version),
      (version) => over(name, version),
      (version) => again(name, version),
      (version) => inHalves(name, version),
      (version) => haltingly(name, version),
      async (version) => {
        await rename(path(name), path(`${name}~`));
        await write(name, version);
      },
      async (version) => {
        await writeFile(path(name), '[{"id": "hook", "execute-command": []}]');
        await sleep(700);
        await over(name, version);
      },
      async (version) => {
        await unlink(path(name));
        await mkdir(path(name));
        await sleep(500);
        await rm(path(name), { recursive: true });
        await write(name, version);
      },
    ]);
  });

  testOfAll('while git checks out other versions', async () => {
    git('init', '-q', '-b', 'main');
    for (const version of [1, 2, 3]) {
      await write('hooks.json', version);
      git('add', 'hooks.json');
      git('commit', '-q', '-m', `v${version}`);
      git('tag', `v${version}`);
    }
    git('checkout', '-q', 'v1');
    await survive('hooks.json', [
      () => git('checkout', '-q', 'v2'),
      () => git('checkout', '-q', 'v3'),
    ]);
  });

  testOfAll('while Kubernetes swaps a ConfigMap', async () => {
    const publish = async (version: number) => {
      await mkdir(path(`..${version}`));
      await write(`..${version}/hooks.json`, version);
      await symlink(`..${version}`, path('..data_tmp'));
      await rename(path('..data_tmp'), path('..data'));
      await rm(path(`..${version - 1}`), { recursive: true, force: true });
    };
    await publish(1);
    await symlink('..data/hooks.json', path('hooks.json'));
    await survive('hooks.json', [publish, publish, publish]);
  });

  test('where a file is bound to another name', async ({ skip }) => {
    await write('outside', 1);
    await writeFile(path('inside'), '');
    const mount = (...words: string[]) => execFileSync('mount', words, { stdio: 'ignore' });
    try {
      mount('--bind', path('outside'), path('inside'));
    } catch {
      skip('this needs the right to mount');
    }
    undo.push(() => execFileSync('umount', ['-l', path('inside')]));
    await survive('inside', [
      (version) => write('outside', version),
      (version) => inHalves('outside', version),
      async (version) => {
        await over('outside', version);
        execFileSync('umount', ['-l', path('inside')]);
        mount('--bind', path('outside'), path('inside'));
      },
    ]);
  });
});
