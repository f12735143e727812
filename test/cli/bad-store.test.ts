import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectFailure } from '../support/expect-failure.ts';
import { readTree, writeTree } from '../support/file-tree.ts';
import { makeS3World, type S3World, section } from '../support/s3-world.ts';

const WRONG = 'wrong/secret+key';
const tree = { a: 'content of a', 'd/b': 'content of b' };

let world: S3World;
/** Nobody listens there: it takes root to do so, and the service is long dead. */
const closedPort = 1;
/** Takes connections and never says a word. */
const silent = createServer((socket) => void socket.on('error', () => {}));

beforeAll(async () => {
  world = await makeS3World();
  const { s3 } = world;
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as { port: number };
  const remotes = {
    wrong: { secret_access_key: WRONG },
    unknown: { access_key_id: 'AKIANOBODY' },
    careful: { no_check_bucket: 'true' },
    refused: { endpoint: `http://127.0.0.1:${closedPort}` },
    nowhere: { endpoint: 'http://no-such-host.invalid' },
    silent: { endpoint: `http://127.0.0.1:${port}` },
    speechless: { endpoint: `https://127.0.0.1:${port}` },
  };
  for (const [name, more] of Object.entries(remotes)) {
    await appendFile(world.config, section(s3, name, more));
  }
  await Promise.all([
    writeTree(`${world.dir}/src`, tree),
    writeTree(`${world.dir}/dst`, { ...tree, old: 'is not to be deleted' }),
    writeTree(world.bucket, { ...tree, more: 'in the bucket' }),
  ]);
});
afterAll(async () => {
  silent.close();
  await world.remove();
});

const wrongSecret = ['the secret key is wrong', 'check access_key_id and secret_access_key'];
const noBucket = ['missing', /not found|no such bucket/, /check its name/];

test.each<
  [what: string, remote: string, code: number, says: (string | RegExp)[], flags?: string[]]
>([
  ['wrong secret', 'wrong:bucket', 1, ['bucket', ...wrongSecret]],
  ['wrong secret, path in a bucket', 'wrong:bucket/d', 1, ['bucket/d', ...wrongSecret]],
  [
    'unknown key',
    'unknown:bucket',
    1,
    ['bucket', 'access key not recognised', 'check access_key_id'],
  ],
  ['missing bucket', 'store:missing', 3, noBucket],
  ['missing bucket, path in it', 'store:missing/d', 3, noBucket],
])('%s: nothing is read, written or deleted', async (_what, remote, code, says) => {
  const before = await readTree(world.dir);
  const objects = await world.objects();
  const secrets = [WRONG];
  const [download, upload, moved, compared] = await Promise.all([
    world.run(['sync', remote, 'dst', '-vv']),
    world.run(['sync', 'src', remote.replace('store:', 'careful:'), '--retries', '1']),
    world.run(['move', remote, 'dst', '--delete-empty-src-dirs']),
    world.run(['check', remote, 'src']),
  ]);
  for (const ended of [download, moved, compared]) expectFailure(ended, { code, says, secrets });
  expectFailure(upload, { code: 1, says, secrets });
  expect(await readTree(world.dir)).toEqual(before);
  expect(await world.objects()).toEqual(objects);
});

const brief = ['--low-level-retries', '2', '--retries', '1', '--timeout', '300ms'];

test.each<[what: string, remote: string, says: () => (string | RegExp)[], flags?: string[]]>([
  [
    'refused connection',
    'refused:bucket',
    () => [`127.0.0.1:${closedPort} (connection refused)`, 'check the endpoint'],
    ['--retries', '2', '--retries-sleep', '10ms'],
  ],
  [
    'host that does not exist',
    'nowhere:bucket',
    () => ['no-such-host.invalid', 'check the name and your network'],
    ['--retries', '2'],
  ],
  [
    'silent server',
    'silent:bucket',
    () => [
      /no data from 127.0.0.1:\d+ within 0.3 s/,
      'check the endpoint, or wait longer with --timeout',
    ],
    brief,
  ],
  [
    'silent server behind TLS',
    'speechless:bucket',
    () => [/127.0.0.1:\d+ within 0.3 s/, /--(con)?timeout$/],
    brief,
  ],
])('%s: nothing is deleted', async (_what, remote, says, flags = []) => {
  const before = await readTree(world.dir);
  const [download, upload, listed] = await Promise.all([
    world.run(['sync', remote, 'dst', ...flags]),
    world.run(['move', 'src', remote, ...flags, '-vv']),
    world.run(['ls', remote, ...flags]),
  ]);
  // As in rclone: 5 means that another try may help.
  const code = remote === 'nowhere:bucket' ? 1 : 5;
  for (const ended of [download, upload, listed]) expectFailure(ended, { code, says: says() });
  expect(await readTree(world.dir)).toEqual(before);
});

test('a host that takes no connection is given up after --contimeout', async () => {
  const busy = await startBusyHost();
  try {
    await appendFile(world.config, section(world.s3, 'busy', { endpoint: `http://${busy.host}` }));
    const ended = await world.run(['ls', 'busy:bucket', ...brief, '--contimeout', '200ms']);
    const says = [
      `no connection to ${busy.host} within 0.2 s`,
      'check the endpoint',
      '--contimeout',
    ];
    expectFailure(ended, { code: 5, says });
  } finally {
    busy.stop();
  }
});

/** A process that listens but has been stopped, with as many connections waiting as fit its queue. */
async function startBusyHost() {
  const code = `const server = require('net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 },
    () => console.log(server.address().port))`;
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = await once(child.stdout, 'data');
  child.kill('SIGSTOP');
  const waiting = Array.from({ length: 8 }, () =>
    connect(Number(port), '127.0.0.1').on('error', () => {}),
  );
  await Promise.all(waiting.slice(0, 2).map((socket) => once(socket, 'connect')));
  return {
    host: `127.0.0.1:${Number(port)}`,
    stop() {
      for (const socket of waiting) socket.destroy();
      child.kill('SIGKILL');
    },
  };
}
