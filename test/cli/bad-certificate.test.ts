import { appendFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectFailure } from '../support/expect-failure.ts';
import { readTree, writeTree } from '../support/file-tree.ts';
import { makeS3World, type S3World, section } from '../support/s3-world.ts';
import { SELF_SIGNED_CERTIFICATE, SELF_SIGNED_KEY } from '../support/self-signed.ts';

let world: S3World;
let server: Server;
let host: string;
const tree = { a: 'content of a', 'd/b': 'content of b' };

beforeAll(async () => {
  world = await makeS3World();
  const { port } = new URL(world.s3.endpoint);
  // The same store behind TLS.
  server = createServer({ key: SELF_SIGNED_KEY, cert: SELF_SIGNED_CERTIFICATE }, (near) => {
    const far: Socket = connect(Number(port), '127.0.0.1');
    near.on('error', () => far.destroy()).pipe(far);
    far.on('error', () => near.destroy()).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { endpoint } = world.s3;
  await Promise.all([
    appendFile(world.config, section(world.s3, 'secure', { endpoint: `https://${host}` })),
    appendFile(
      world.config,
      section(world.s3, 'plain', { endpoint: endpoint.replace('http:', 'https:') }),
    ),
    writeFile(join(world.dir, 'ca.pem'), SELF_SIGNED_CERTIFICATE),
    writeFile(join(world.dir, 'not.pem'), 'no certificate'),
    writeTree(join(world.dir, 'src'), tree),
    writeTree(join(world.dir, 'dst'), { old: 'is not to be deleted' }),
  ]);
});
afterAll(async () => {
  server.close();
  await world.remove();
});

test('a certificate that nobody trusts is refused at once, with what to do', async () => {
  const before = await readTree(world.dir);
  const says = [
    `cannot trust ${host}: its certificate is self-signed`,
    '--ca-cert',
    '--no-check-certificate',
  ];
  for (const words of [
    ['sync', 'secure:bucket', 'dst', '-vv'],
    ['move', 'src', 'secure:bucket'],
  ]) {
    expectFailure(await world.run(words), { code: 1, says });
  }
  expect(await readTree(world.dir)).toEqual(before);
});

test.each([
  ['--ca-cert', ['--ca-cert', 'ca.pem']],
  ['--no-check-certificate', ['--no-check-certificate']],
])('%s makes it trusted', async (name, flags) => {
  const there = `secure:bucket/${name}`;
  const synced = await world.run(['sync', 'src', there, ...flags]);
  expect(synced).toMatchObject({ code: 0, stderr: '' });
  expect((await world.run(['check', 'src', there, ...flags])).code).toBe(0);
});

test('--ca-cert that is no certificate, or is not there, is told', async () => {
  const run = (file: string) => world.run(['ls', 'secure:bucket', '--ca-cert', file]);
  const notPem = ['--ca-cert not.pem', 'contains no PEM certificate'];
  expectFailure(await run('not.pem'), { code: 1, says: notPem });
  expectFailure(await run('nowhere.pem'), {
    code: 1,
    says: ['--ca-cert nowhere.pem', 'no such file or directory'],
  });
});

test('a port that does not speak TLS is told', async () => {
  const { host: plain } = new URL(world.s3.endpoint);
  const says = [`${plain} does not speak TLS`, `try endpoint = http://${plain}`];
  expectFailure(await world.run(['ls', 'plain:bucket']), { code: 1, says });
});
