import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { scripts } from '../../package.json' with { type: 'json' };
import { COMPILED_CACHE } from '../support/compiled-cache.ts';
import { findFreePort } from './free-port.ts';

const root = resolve(import.meta.dirname, '../..');
const readme = await readFile(join(root, 'README.md'), 'utf8');

/** Lines that are not run here, each with the reason. */
const NOT_HERE: Readonly<Record<string, string>> = {
  'npm ci': 'would remove the packages that this test runs on',
  'npm ci && npm run demo': 'npm ci as above; demo.test.ts runs the demo',
  'npm ci && npm test': 'is what runs this test',
  'npm run build': 'has built the program that these commands run',
};

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'syncer-readme-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

/** The commands of the README as one script; a server runs beside those that follow. */
function scriptOf(text: string): string {
  const blocks = [...text.matchAll(/```sh\n(.*?)```/gs)].map((match) => match[1] ?? '');
  const lines = blocks.flatMap((block) => block.split('\n')).filter((line) => !(line in NOT_HERE));
  return [
    'set -euo pipefail',
    "trap 'kill $(jobs -p) 2>/dev/null || true; wait' EXIT",
    ...lines.map((line) => (line.startsWith('syncer serve ') ? inBackground(line) : line)),
  ].join('\n');
}

const inBackground = (line: string) =>
  `${line} >~/server.log 2>&1 &\nuntil grep -q http:// ~/server.log; do kill -0 $!; sleep 0.1; done`;

async function runScript(
  script: string,
): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    NO_PROXY: '127.0.0.1',
    LANG: 'C.UTF-8',
    ...COMPILED_CACHE,
  };
  try {
    const output = await promisify(execFile)('bash', ['-c', script], { cwd: root, env });
    return { code: 0, ...output };
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string };
  }
}

test('every command of the README works, in the order it stands there', async () => {
  const script = scriptOf(readme).replaceAll('9000', String(await findFreePort()));
  const { code, stdout, stderr } = await runScript(script);
  expect(stderr).not.toContain('command not found');
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  expect(stderr).toContain('3 matching files');
  expect(stderr).toContain('CHANGELOG.md: Deleted');
  expect(stdout).toMatch(/^ +\d+ README\.md$/m);
  expect(stdout).not.toMatch(/^ +\d+ CHANGELOG\.md$/m);
});

test('what is left out still stands in the README', () => {
  for (const line of Object.keys(NOT_HERE)) {
    expect(readme.split('\n')).toContain(line);
    const [, script] = /npm run (\w+)$/.exec(line) ?? [];
    if (script !== undefined) expect(scripts).toHaveProperty(script);
  }
});

test('planted faults are found: a command that does not exist, one that fails', async () => {
  const plant = (line: string) => scriptOf(`\`\`\`sh\nsyncer() { :; }\n${line}\nsyncer\n\`\`\``);
  expect((await runScript(plant('syncer x'))).code).toBe(0);
  expect((await runScript(plant('no-such-program'))).code).toBe(127);
  expect((await runScript(plant('cat ~/no-such-file'))).code).toBe(1);
});
