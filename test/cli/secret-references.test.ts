// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references look like that
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeS3World, type S3World, section } from '../support/s3-world.ts';

const REFERENCE = '${env:PHOTOS_KEY}';
let world: S3World;
let file = '';

beforeAll(async () => {
  world = await makeS3World();
  await writeFile(join(world.bucket, 'a.txt'), 'hello');
});
afterAll(() => world.remove());
beforeEach(async () => {
  file = section(world.s3, 'store', { secret_access_key: REFERENCE });
  await writeFile(world.config, file, { mode: 0o644 });
});

const run = (...args: string[]) =>
  world.run(args, { env: { PHOTOS_KEY: world.s3.secretAccessKey } });

test('a remote is opened with the secret, which appears in no log', async () => {
  const { code, stdout, stderr } = await run('lsf', 'store:bucket', '-vv', '--dump', 'headers');
  expect({ code, listed: stdout.toString() }).toEqual({ code: 0, listed: 'a.txt\n' });
  expect(stderr).toContain('GET ');
  expect(stderr).not.toContain(world.s3.secretAccessKey);
  // The file can be read by others, but holds no secret.
  expect(stderr).not.toContain('plain-text');
  expect(await readFile(world.config, 'utf8')).toBe(file);
});

test('a reference that stands for nothing is one line, without retries', async () => {
  const { code, stderr } = await world.run(['lsf', 'store:bucket']);
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^[^\n]*remote "store": secret_access_key = \$\{env:PHOTOS_KEY\}: not set in the environment\n$/,
  );
});

test.each([['show'], ['show', 'store'], ['dump'], ['redacted'], ['string', 'store:']])(
  'config %s %s shows the reference',
  async (...words) => {
    const { code, stdout } = await run('config', ...words);
    expect(code).toBe(0);
    expect(stdout.toString()).toContain(REFERENCE);
    expect(stdout.toString()).not.toContain(world.s3.secretAccessKey);
  },
);

test('a connection string that was printed opens the remote', async () => {
  const { stdout } = await run('config', 'string', 'store:bucket');
  const listed = await run('lsf', stdout.toString().trim());
  expect(listed.stdout.toString()).toBe('a.txt\n');
});

test('a password by reference is stored as it stands, and shown', async () => {
  await writeFile(world.config, '[nas]\ntype = webdav\nurl = u\n');
  const { stdout, code } = await run('config', 'password', 'nas', `pass=${REFERENCE}`);
  expect(code).toBe(0);
  expect(stdout.toString()).toContain(`pass = ${REFERENCE}\n`);
  expect(await readFile(world.config, 'utf8')).toContain(`pass = ${REFERENCE}\n`);
});

test('the wizard keeps a reference, and its test uses what it stands for', async () => {
  // Edit "store": keep the key by Enter, then test and quit.
  const input = ['e', 'store', '', '', '', '', '', '', 'n', 't', 'y', 'q', ''].join('\n');
  const { stdout } = await world.run(['config'], {
    input,
    env: { PHOTOS_KEY: world.s3.secretAccessKey },
  });
  const said = stdout.toString();
  expect(said).toContain(`for the default (${REFERENCE})`);
  expect(said).toMatch(/bucket/);
  expect(said).not.toContain(world.s3.secretAccessKey);
  expect(await readFile(world.config, 'utf8')).toContain(`secret_access_key = ${REFERENCE}\n`);
});
