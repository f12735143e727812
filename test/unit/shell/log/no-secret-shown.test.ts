import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BACKENDS } from '../../../../src/backends/index.ts';
import { inState } from '../../../support/open-state.ts';
import { runInProcess } from '../../../support/run-in-process.ts';

let dir: string;
let server: Server;
let endpoint: string;
/** The code of the server's errors. */
let code = 'AccessDenied';

/** A server that refuses everything, and quotes what it was sent. */
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'syncer-secrets-'));
  server = createServer((request, response) => {
    const sent = JSON.stringify(request.headers).replaceAll(/[<&]/g, '');
    response.writeHead(403, { 'content-type': 'application/xml', 'set-cookie': 'a=Zq7' });
    response.end(`<Error><Code>${code}</Code><Message>not you: ${sent}</Message></Error>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await rm(dir, { recursive: true, force: true });
});

const [S3] = BACKENDS.filter(({ type }) => type === 's3');
const SECRETS = (S3?.options ?? []).filter(({ secret }) => secret === true).map(({ name }) => name);

const PLAIN = {
  provider: 'Minio',
  access_key_id: 'id',
  secret_access_key: 'plain',
  region: 'us-east-1',
  sse_customer_algorithm: 'AES256',
};

type Way = 'flag' | 'word' | 'string' | 'config' | 'variable';

async function run(name: string, value: string, way: Way, dump: string) {
  const options: Record<string, string> = { ...PLAIN, endpoint };
  const env: NodeJS.ProcessEnv = { SYNCER_CONFIG: join(dir, 'conf'), XDG_STATE_HOME: dir };
  const words: string[] = [];
  let remote = 'r:';
  delete options[name];
  if (way === 'config') options[name] = value;
  if (way === 'flag') words.push(`--s3-${name.replaceAll('_', '-')}`, value);
  if (way === 'word') words.push(`--s3-${name.replaceAll('_', '-')}=${value}`);
  if (way === 'variable') env[`RCLONE_CONFIG_R_${name.toUpperCase()}`] = value;
  if (way === 'string') remote = `r,${name}="${value}":`;
  const lines = Object.entries(options).map(([key, text]) => `${key} = ${text}`);
  await writeFile(join(dir, 'conf'), ['[r]', 'type = s3', ...lines, ''].join('\n'));
  const rules = ['--retries=1', '--low-level-retries=1', '-vv', '--dump', dump];
  const rest = dump === '' ? rules.slice(0, 3) : rules.filter((word) => word !== '-vv');
  const source = join(dir, 'conf');
  return runInProcess(['copyto', source, `${remote}bucket/a`, ...words, ...rest], env);
}

test('no log, no dump, no error and no history shows a secret of a remote', async () => {
  expect(SECRETS.length).toBeGreaterThan(3);
  const value = fc
    .string({ unit: fc.constantFrom(...'abcDEF0123/+=_-'), minLength: 29, maxLength: 29 })
    .map((text) => `${text}Zq7`);
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...SECRETS),
      value,
      fc.constantFrom<Way>('flag', 'word', 'string', 'config', 'variable'),
      fc.constantFrom('', 'headers', 'bodies'),
      async (name, secret, way, dump) => {
        const { code, stdout, stderr } = await run(name, secret, way, dump);
        expect(code).toBeGreaterThan(0);
        expect(stderr).toContain('starting with parameters');
        expect(stdout + stderr).not.toContain('Zq7');
        expect(stdout + stderr).not.toMatch(/Signature=[0-9a-f]/);
        const rows = await inState(dir, (database) => database.all('SELECT * FROM runs'));
        expect(JSON.stringify(rows)).not.toContain('Zq7');
      },
    ),
    { numRuns: 30 },
  );
});

test.each<[string, string[]]>([
  ['text', []],
  ['JSON', ['--use-json-log']],
])(
  'a secret that a server quotes is in no log, statistics, history and report: %s',
  async (_, words) => {
    const secret = 'Quoted/By+The=Server0Zq7';
    code = `Refused-${secret}`;
    const { sse_customer_algorithm: _none, ...plain } = PLAIN;
    const options = { ...plain, endpoint, secret_access_key: secret };
    const lines = Object.entries(options).map(([key, text]) => `${key} = ${text}`);
    const conf = join(dir, 'conf');
    await writeFile(conf, ['[r]', 'type = s3', ...lines, ''].join('\n'));
    const report = join(dir, 'report.json');
    const rules = ['--retries=1', '--low-level-retries=1', '-vv', '--report', report, ...words];
    const env = { SYNCER_CONFIG: conf, XDG_STATE_HOME: dir };
    const ended = await runInProcess(['copyto', conf, 'r:b/a', ...rules], env);
    code = 'AccessDenied';
    const { stdout, stderr } = ended;
    expect(ended.code).toBeGreaterThan(0);
    expect(stderr).toContain('Refused-');
    const rows = await inState(dir, (database) => database.all('SELECT * FROM runs'));
    const shown = [stdout, stderr, JSON.stringify(rows), await readFile(report, 'utf8')];
    expect(JSON.stringify(rows)).toContain('Refused-');
    for (const text of shown) expect(text).not.toContain('Zq7');
  },
);

test('a wrong command line is quoted without its secrets', async () => {
  const words = [
    'ls',
    'r:',
    '--s3-secret-access-key',
    'LongSecretZq7',
    '--max-depth',
    'LongSecretZq7',
  ];
  const { code, stderr } = await runInProcess(words, { SYNCER_CONFIG: join(dir, 'none') });
  expect(code).toBe(2);
  expect(stderr).toContain('--max-depth');
  expect(stderr).not.toContain('Zq7');
});
