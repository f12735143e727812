import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { scripts } from '../../package.json' with { type: 'json' };
import { COMPILED_CACHE } from '../support/compiled-cache.ts';
import { someOf, testOfAll } from '../support/in-part.ts';
import { findFreePort } from './free-port.ts';

const root = resolve(import.meta.dirname, '../..');
const readme = await readFile(join(root, 'README.md'), 'utf8');

/** Lines of the README that are not run here, each with the reason. */
const NOT_HERE: Readonly<Record<string, string>> = {
  'npm ci': 'would remove the packages that this test runs on',
  'npm ci && npm run demo': 'npm ci as above; demo.test.ts runs the demo',
  'npm ci && npm test': 'is what runs this test',
  'npm run build': 'has built the program that these commands run',
};

/** What lines of the other pages are not run here, each with the reason; other tests run most of them. */
const NOT_ALONE: readonly (readonly [line: RegExp, reason: string])[] = [
  [
    /^(sudo|apt-get|npm|install|systemctl|man|sha256sum|tar|chmod|ln|redis-cli|mount)\b|^cat >/,
    'changes the system; peers/release and peers/mount',
  ],
  [/^webhook/, 'changes the system; cli/installer and peers/release'],
  [
    /^syncer (mount|mounts|unmount)\b|^mkdir -p ~\/shelf|^ls ~\/shelf/,
    'needs FUSE; cli/mount-life and peers/mount',
  ],
  [/--queue|^syncer worker|^export SYNCER_QUEUE/, 'needs a Redis server; peers/queue'],
  [/--watch\b/, 'runs until it is stopped; cli/watch'],
  [/\b7k3f\b|20261121-/, 'is about a run of the reader; cli/running and cli/undo'],
  [/hc-ping\.com|^ssh |\| less$|^ncdu |^npx /, 'needs another machine or a person'],
  [/client_id=…|office|pass=…|nas:/, 'needs a login or rclone; cli/authorize and peers/rclone'],
  [/^syncer ncdu (?!.*(-o |--output))/, 'opens a screen; peers/tui'],
  [
    /^syncer (versions|size --all)|--checkpoint|--lock-remote|^syncer unlock/,
    'needs a server with versions or conditions; cli/versions, cli/checkpoint and cli/lock',
  ],
  [
    /--with backup:data|--diff|^guard = |print-unit|^mv unit-/,
    'needs what an earlier run left; cli/scrub, cli/ncdu-export and cli/jobs',
  ],
  [
    /^syncer why|^syncer trash (ls|restore)|^syncer undo photos:/,
    'is about a path of the reader; cli/why, cli/trash and cli/undo',
  ],
];

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'syncer-documents-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const blocksOf = (text: string) =>
  [...text.matchAll(/^```sh\n(.*?)^```/gms)].map((match) => match[1] ?? '');

/** The commands of a page as one script; a server runs beside those that follow. */
function scriptOf(text: string): string {
  const lines = blocksOf(text)
    .flatMap((block) => block.split('\n'))
    .filter((line) => !(line in NOT_HERE));
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
  cwd = root,
): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = {
    PATH: `${join(root, 'bin')}:${process.env['PATH']}`,
    HOME: home,
    NO_PROXY: '127.0.0.1',
    LANG: 'C.UTF-8',
    ...COMPILED_CACHE,
  };
  try {
    const output = await promisify(execFile)('bash', ['-c', script], { cwd, env });
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

/** The system's commands in these pages only note what they were called with. */
const RECORDED = 'systemctl() { echo "systemctl $*"; }; loginctl() { echo "loginctl $*"; }';

test('every command of "A backup in ten minutes" works, and the lost file comes back', async () => {
  const page = await readFile(join(root, 'docs/backup.md'), 'utf8');
  const { code, stdout, stderr } = await runScript(`${RECORDED}\n${scriptOf(page)}`);
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('systemctl --user enable --now syncer-documents.timer');
  expect(await readFile(join(home, 'restored/letter.txt'), 'utf8')).toBe('a letter\n');
  const units = await readdir(join(home, '.config/systemd/user'));
  expect(units.sort()).toEqual(['syncer-documents.service', 'syncer-documents.timer']);
});

testOfAll(
  'every command of "Moving from rclone" works with a configuration of rclone',
  async () => {
    await mkdir(join(home, '.config/rclone'), { recursive: true });
    await mkdir(join(home, 'photos'));
    await mkdir(join(home, 'there'));
    await writeFile(join(home, 'photos/a.jpg'), 'picture');
    const remotes = `[photos]\ntype = alias\nremote = ${home}/there\n[safe]\ntype = crypt\n`;
    await writeFile(join(home, '.config/rclone/rclone.conf'), remotes);
    const page = await readFile(join(root, 'docs/moving-from-rclone.md'), 'utf8');
    // What it says of this machine is another test's.
    const script = scriptOf(page).replace('syncer doctor', 'syncer doctor || [ $? = 1 ]');
    const { code, stdout, stderr } = await runScript(script);
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^photos:\nsafe:$/m);
    expect(stderr).toContain('2 remotes imported; opened through an installed rclone: safe');
    expect(stderr).toContain('1 matching files');
  },
);

describe('commands of the other pages, each page with remotes and directories of its names', async () => {
  const whole = ['backup.md', 'moving-from-rclone.md'];
  const names = (await readdir(join(root, 'docs'))).filter((name) => name.endsWith('.md'));
  const others = names.filter((one) => !whole.includes(one));
  for (const name of someOf(others, Math.ceil(others.length / 3))) {
    const lines = blocksOf(await readFile(join(root, 'docs', name), 'utf8'))
      .flatMap((block) => block.replaceAll('\\\n', ' ').split('\n'))
      .filter((line) => /^(syncer|printf) /.test(line))
      .filter((line) => !NOT_ALONE.some(([pattern]) => pattern.test(line)));
    if (lines.length === 0) continue;
    test(name, async () => {
      await makeWorld(lines.join('\n'));
      const script = ['set -e', ...lines.map((line) => line.replace(/ \| grep .*/, ''))].join('\n');
      const here = script.replaceAll(/(?<=[ '])\/(mnt|data|var)\b/g, `${home}/$1`);
      const { code, stderr } = await runScript(here, home);
      expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    });
  }
});

/** Makes a directory for each remote and each local path in these commands, with a file in it. */
async function makeWorld(text: string): Promise<void> {
  const remotes = new Set([...text.matchAll(/(?<= )([a-z]+):/g)].map(([, name = '']) => name));
  const places = [...text.matchAll(/(?<= )(?:~|(?=\/(?:mnt|data|var)\b))(\/[\w/]+)/g)];
  const paths = [...text.matchAll(/(?<= )([a-z]+):([\w/]+)?/g)].map(
    ([, name = '', path = '']) => `/remotes/${name}/${path}`,
  );
  for (const path of [...places.map(([, path = '']) => path), ...paths]) {
    if (/\.\w+$/.test(path)) continue;
    await mkdir(join(home, path), { recursive: true });
    await writeFile(join(home, path, 'file.txt'), 'text');
  }
  const sections = [...remotes].map(
    (name) => `[${name}]\ntype = alias\nremote = ${home}/remotes/${name}\n`,
  );
  await mkdir(join(home, '.config/syncer'), { recursive: true });
  await writeFile(join(home, '.config/syncer/syncer.conf'), sections.join(''), { mode: 0o600 });
  await writeFile(join(home, 'rules.txt'), '- *.tmp\n');
}

test('each reason not to run a command here is needed', async () => {
  const pages = (await readdir(join(root, 'docs'))).filter((name) => name.endsWith('.md'));
  const texts = await Promise.all(pages.map((name) => readFile(join(root, 'docs', name), 'utf8')));
  const lines = texts.flatMap(blocksOf).flatMap((block) => block.split('\n'));
  for (const [pattern] of NOT_ALONE) expect(lines.some((line) => pattern.test(line))).toBe(true);
});

test('planted faults are found: a command that does not exist, one that fails', async () => {
  const plant = (line: string) => scriptOf(`\`\`\`sh\nsyncer() { :; }\n${line}\nsyncer\n\`\`\``);
  expect((await runScript(plant('syncer x'))).code).toBe(0);
  expect((await runScript(plant('no-such-program'))).code).toBe(127);
  expect((await runScript(plant('cat ~/no-such-file'))).code).toBe(1);
});
