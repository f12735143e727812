import { once } from 'node:events';
import { access, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CaptureWorld } from './capture-world.ts';
import type { Scenario } from './scenario.ts';

/** A hook that answers after its command: it prints `lines`, and exits with `code` once the file `<id>.end` exists. */
function hookOf(id: string, lines: readonly string[], code = 0) {
  const prints = lines.map((line) => `echo "${line}"`);
  const waits = [
    `touch ${id}.begun`,
    `while [ -e hooks.json ] && [ ! -e ${id}.end ]; do sleep 0.05; done`,
  ];
  const script = [...prints, ...waits, `exit ${code}`].join('; ');
  return {
    id,
    'execute-command': '/bin/sh',
    'pass-arguments-to-command': ['-c', script].map((name) => ({ source: 'string', name })),
    'include-command-output-in-response': true,
    'trigger-rule': {
      match: { type: 'value', value: 'main', parameter: { source: 'url', name: 'branch' } },
    },
  };
}

const HOOKS = [
  hookOf('publish-site', [
    'Building 214 pages: done in 3.1 s',
    'INFO  : index.html: Copied (replaced existing)',
    'INFO  : feed.xml: Copied (replaced existing)',
    'INFO  : 2026/first-snow.html: Copied (new)',
    'INFO  : 2026/first-snow.jpg: Copied (new)',
  ]),
  hookOf('nightly-backup', []),
  hookOf('thumbnails', ['snow.jpg', 'cannot read film.mov: unknown codec'], 3),
  hookOf('deploy-api', []),
];

/** A server whose hooks have had a morning of requests. */
async function prepare({ home, enter, advance }: CaptureWorld): Promise<void> {
  await writeFile(join(home, 'hooks.json'), JSON.stringify(HOOKS));
  const server = 'webhook -hooks hooks.json -socket web.sock -control control.sock -x-request-id';
  // A hook server takes a hangup as an order to load its hooks again.
  await enter(`(trap 'kill $!' HUP; ${server} & wait) &`);
  await until(() => trigger(home, 'none', ''));
  const run = async (id: string, seconds: number) => {
    const response = trigger(home, id, 'main');
    await until(() => access(join(home, `${id}.begun`)));
    await advance(seconds);
    await writeFile(join(home, `${id}.end`), '');
    await response;
  };
  await run('nightly-backup', 246);
  await advance(2400);
  await run('thumbnails', 18);
  await advance(540);
  await trigger(home, 'deploy-api', 'dev');
  await advance(130);
  void trigger(home, 'publish-site', 'main').catch(() => {});
  await until(() => access(join(home, 'publish-site.begun')));
  await advance(42);
}

/** Sends a request and waits for all of its response. */
async function trigger(home: string, id: string, branch: string): Promise<void> {
  const sent = get({
    socketPath: join(home, 'web.sock'),
    path: `/hooks/${id}?branch=${branch}`,
    headers: { 'x-request-id': `push-${id.length}` },
  });
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  await once(response.resume(), 'end');
}

/** Repeats `act` until it resolves. */
async function until(act: () => Promise<unknown>): Promise<void> {
  for (;;) {
    const done = await act().then(
      () => true,
      () => false,
    );
    if (done) return;
    await sleep(20);
  }
}

const COMMAND = 'syncer hooks --control control.sock';

export const HOOKS_SCENARIOS: readonly Scenario[] = [
  {
    name: 'hooks',
    rows: 9,
    prepare,
    command: COMMAND,
    title: 'syncer hooks',
    reach: ({ terminal }) => terminal.waitFor('42.0 s'),
  },
  {
    name: 'hooks-run',
    rows: 15,
    prepare,
    command: COMMAND,
    title: 'syncer hooks',
    async reach({ terminal }) {
      await terminal.waitFor('42.0 s');
      await terminal.keys('Enter');
      await terminal.waitFor('publish-site');
      await terminal.keys('Enter');
      await terminal.waitFor(['following', 'first-snow.jpg']);
    },
  },
];
