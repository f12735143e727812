import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RecordedGraphRequest } from '../../servers/graph/graph-log.ts';
import { startTestGraph, type TestGraph } from '../../servers/graph/start-graph.ts';
import type { TestDrive } from '../../servers/graph/test-drive.ts';
import { type Tree, writeTree } from '../../support/file-tree.ts';
import { isRcloneNow, runRclone } from '../../support/rclone.ts';
import { runInProcess } from '../../support/run-in-process.ts';

// What each option of a drive does, by both programs, each with a server of its own. `B:` is a business drive, `P:` and
// `Q:` are personal ones, `L:` is a library; each holds `dir`. `SRC`, `SIZES` and `ODD` are local folders.

const MIB = 2 ** 20;
const TIME = new Date('2023-11-14T22:13:20Z');
const DIR: Readonly<Record<string, string>> = {
  'dir/a.txt': 'content of a',
  'dir/d/b.txt': 'bb',
  'dir/d/e/c': 'c',
};
const FOLDERS: Readonly<Record<string, Tree>> = {
  SRC: { 'a.txt': 'another a', 'd/b.txt': 'bb', empty: '' },
  SIZES: {
    '0': '',
    '1': 'x',
    '320k': 'x'.repeat(320 * 1024),
    '1M-1': 'x'.repeat(MIB - 1),
    '1M': 'x'.repeat(MIB),
    '4M': 'x'.repeat(4 * MIB),
    '4M+1': 'x'.repeat(4 * MIB + 1),
  },
  ODD: { 'a:b': '1', ' lead': '2', 'q?': '3', 'end.': '4', '~t': '5' },
};

const DRIVES = [
  ['B', { type: 'business' }],
  ['P', { type: 'personal' }],
  ['Q', { type: 'personal', foreign: true }],
  ['L', { type: 'documentLibrary' }],
] as const;

/** What is special about the remotes and the server of a case. */
interface Special {
  /** Keys that the remotes do not have. */
  readonly without?: readonly string[];
  /** The access token is no longer valid. */
  readonly isExpired?: true;
  /** The service has found malware in every file. */
  readonly hasMalware?: true;
}

type Case = readonly [command: string, options: readonly string[], special?: Special];

const TOKEN_URL = 'URL/other/oauth2/v2.0/token';
const APPLICATION = '--onedrive-client-id the-app --onedrive-client-secret the-secret';

const CASES: readonly Case[] = [
  [
    'copy SIZES B:up',
    [
      '',
      ...['off', '0', '1', '320k', '1M', '4M', '5M', 'x'].map(
        (size) => `--onedrive-upload-cutoff ${size}`,
      ),
      ...['320k', '1280k', '100M', '1M', '0', 'x'].map((size) => `--onedrive-chunk-size ${size}`),
    ],
  ],
  ...['B', 'P', 'L'].map(
    (drive): Case => [
      `copy SRC ${drive}:dir --ignore-times`,
      ['', '--onedrive-no-versions', '--onedrive-hard-delete', '--onedrive-hash-type none'],
    ],
  ),
  ['touch B:dir/a.txt -t 2020-01-02T03:04:05', ['', '--onedrive-no-versions']],
  ['copyto B:dir/a.txt B:dir/z', ['', '--onedrive-no-versions', '-M', '-M --onedrive-no-versions']],
  ['copyto B:dir/a.txt B:dir/d/b.txt', ['', '-M', '-M --metadata-set mtime=2020-01-02T03:04:05Z']],
  [
    'lsf -R B:dir',
    [
      '',
      ...['1', '100000', '0', '-1', 'x'].map((count) => `--onedrive-list-chunk ${count}`),
      ...['--onedrive-delta', '--onedrive-delta --fast-list', '--onedrive-delta=false --fast-list'],
      '--onedrive-expose-onenote-files',
    ],
  ],
  ['lsf -R B:', ['--onedrive-root-folder-id ID', '--onedrive-delta --fast-list']],
  ['lsf --format ph B:dir', ['quickxor', 'sha1', 'sha256', 'crc32', 'none', 'x'].map(hashType)],
  ['lsf --format ph P:dir', ['auto', 'quickxor', 'sha1', 'sha256', 'crc32'].map(hashType)],
  ['hashsum sha1 P:dir', ['sha1', 'quickxor'].map(hashType)],
  [
    'lsjson -R -M --no-modtime B:dir',
    ['', ...['off', 'read', 'write', 'read,write', 'x'].map(permissions)],
  ],
  [
    'copy B:dir B:new -M',
    ['', ...['read', 'write', 'read,write', 'read,write,failok'].map(permissions)],
  ],
  ['copy SRC P:new -M --metadata-set description=text', ['']],
  ['cat B:dir/a.txt', ['--onedrive-av-override']],
  ['cat B:dir/a.txt', ['', '--onedrive-av-override'], { hasMalware: true }],
  ...['B', 'P', 'L'].flatMap((drive): Case[] => [
    [`delete ${drive}:dir`, ['', '--onedrive-hard-delete']],
    [`purge ${drive}:dir`, ['', '--onedrive-hard-delete']],
    [`cleanup ${drive}:`, ['']],
    [
      `link ${drive}:dir/a.txt`,
      [
        ...['', '--onedrive-region us', '--onedrive-link-password secret', '--expire 1h'],
        ...['view', 'edit', 'embed', 'x'].map((type) => `--onedrive-link-type ${type}`),
        ...['organization', 'anonymous', 'x'].map((scope) => `--onedrive-link-scope ${scope}`),
      ],
    ],
  ]),
  [
    'copy ODD B:odd',
    ['', ...['Slash,Dot', 'None', 'x'].map((how) => `--onedrive-encoding ${how}`)],
  ],
  ...['copy B:dir L:to', 'move B:dir L:to', 'copy B:dir P:to', 'copy L:dir B:to'].map(
    (command): Case => [
      command,
      ['', '--onedrive-server-side-across-configs', '--server-side-across-configs'],
    ],
  ),
  ['copy P:dir Q:to', ['']],
  ['lsf B:', ['--onedrive-drive-id OTHER', '--onedrive-drive-type personal']],
  ['lsf B:', ['global', 'us', 'de', 'cn', 'mars'].map((name) => `--onedrive-region ${name}`)],
  [
    'lsf B:',
    [
      ...['', '--onedrive-region us', '--onedrive-region cn', '--onedrive-tenant contoso'],
      '--onedrive-tenant contoso --onedrive-region us',
      `--onedrive-token-url ${TOKEN_URL}`,
      `--onedrive-tenant contoso --onedrive-token-url ${TOKEN_URL}`,
      '--onedrive-access-scopes Files.Read',
      '--onedrive-auth-url URL/login/authorize',
    ],
    { isExpired: true },
  ],
  [
    'lsf B:',
    [
      `--onedrive-client-credentials --onedrive-tenant contoso ${APPLICATION}`,
      `--onedrive-client-credentials --onedrive-tenant contoso ${APPLICATION}-wrong`,
      `--onedrive-client-credentials --onedrive-region us --onedrive-tenant contoso ${APPLICATION}`,
      `--onedrive-client-credentials ${APPLICATION}`,
      '--onedrive-client-credentials --onedrive-client-id the-app --onedrive-tenant contoso',
    ],
    { without: ['token'] },
  ],
  ['lsf B:', ['--onedrive-tenant-url https://contoso.sharepoint.com']],
];

function hashType(name: string): string {
  return `--onedrive-hash-type ${name}`;
}

function permissions(bits: string): string {
  return `--onedrive-metadata-permissions ${bits}`;
}

let dir: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'syncer-test-drive-options-'));
  const folders = Object.entries(FOLDERS);
  await Promise.all(folders.map(([name, tree]) => writeTree(join(dir, name), tree)));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** Parts of links, and times of a server's own. */
const OWN = /[0-9a-f]{32}|(?<=u!)[\w-]+|"[bmu]time":"[^"]+"/g;

let runs = 0;

/** Runs a command by one of the programs; how it ends, what it prints, and what it leaves and asks. */
async function run(who: 'ours' | 'theirs', command: string, special: Special) {
  const drives = DRIVES.map(([, setup]) => setup);
  const graph = await startTestGraph({ drives, clientSecrets: { 'the-app': 'the-secret' } });
  const config = join(dir, `${++runs}.conf`);
  const certificate = `${config}.pem`;
  fill(graph);
  await writeFile(certificate, graph.certificate);
  await writeFile(config, sections(graph, special));
  if (special.hasMalware) {
    graph.setFaults(({ operation, query }) => {
      const isBlocked = /^(getContent|download)$/.test(operation) && !query.has('AVOverride');
      return isBlocked ? { status: 403, code: 'malwareDetected' } : undefined;
    });
  }
  const words = command
    .replace(/\b(SRC|SIZES|ODD)\b/, (name) => join(dir, name))
    .replace(/\bID\b/, graph.drive.item('dir/d').id)
    .replace(/\bOTHER\b/, graph.drives[1]?.id ?? '')
    .replace(/\bURL\b/, graph.url)
    .replace(/$/, ' --retries 1 --low-level-retries 1')
    .split(/ +/);
  const env = graph.proxied(certificate);
  const ownEnv = { SYNCER_CONFIG: config, SYNCER_CA_CERT: certificate, HOME: dir, TZ: 'UTC' };
  const { code, stdout, stderr } = await (who === 'theirs'
    ? runRclone(words, { cwd: dir, config, env })
    : runInProcess(words, { ...env, ...ownEnv }));
  await graph.stop();
  const lines = `${stdout}`.trimEnd().split('\n').sort();
  const printed = lines.map((line) => line.replace(OWN, ''));
  const seen = { code, printed, left: left(graph), ...(code === 0 ? asked(graph) : {}) };
  return { seen, stderr };
}

function fill(graph: TestGraph): void {
  for (const drive of graph.drives) {
    for (const [path, content] of Object.entries(DIR)) drive.put(path, content, TIME);
    drive.put('dir/a.txt', 'content of a', TIME);
    drive.addPackage('dir/Notes');
    const link = { type: '', scope: '', webUrl: '', hasPassword: false, expires: undefined };
    const grant = { id: 'grant', grantee: 'other@example.com', roles: ['read'], ...link };
    drive.item('dir/a.txt').permissions.push(grant);
  }
}

/** The remotes, with Microsoft's addresses. */
function sections(graph: TestGraph, { without = [], isExpired }: Special): string {
  const lines = graph.drives.flatMap((drive, number) => {
    const { auth_url: _, token_url: __, ...keys } = graph.section(drive);
    const token = JSON.stringify(graph.newToken(isExpired ? -60 : undefined));
    const kept = Object.entries({ ...keys, token }).filter(([key]) => !without.includes(key));
    return [`[${DRIVES[number]?.[0]}]`, ...kept.map(([key, value]) => `${key} = ${value}`)];
  });
  return `${lines.join('\n')}\n`;
}

/** What the drives hold after a run. */
function left(graph: TestGraph) {
  return graph.drives.map((drive: TestDrive) => {
    const files = drive.files().map((path) => {
      const { content, versions, modified, description, permissions: all } = drive.item(path);
      const isNew = modified > TIME.getTime();
      const granted = all.map(({ type, scope, hasPassword, expires, grantee, roles }) =>
        [type, scope, hasPassword, expires !== undefined, grantee, roles].join(' '),
      );
      const time = isNew ? 'now' : modified;
      return { path, size: content?.size, versions: versions.length, time, description, granted };
    });
    return { files, dirs: Object.keys(drive.tree()), binned: drive.inside.binned };
  });
}

/** Operations of the hosts that the service names. */
const CONTENTS = /^(putFragment|download|monitor)$/;

/** Operations that are the same in both programs where they do the same. */
const COMPARED = /^(token|putContent|createUploadSession|copy|createLink|invite)$/;

const PARTIAL = 'syncer-partial-';

/** Hosts, what is written and how, and how often versions are deleted. */
function asked({ log, url }: TestGraph) {
  const own = (text: string) => text.replace(new URL(url).host, 'server');
  const told = ({ operation, host, path, grantType, scope }: RecordedGraphRequest) =>
    operation === 'token'
      ? `${operation} ${own(host)}${path} ${grantType} ${scope}`
      : `${operation} ${/:\/(.*):/.exec(decodeURIComponent(path))?.[1] ?? ''}`;
  const ranges = log.of('putFragment').map(({ contentRange }) => contentRange);
  const requests = log.of().filter(({ operation }) => !CONTENTS.test(operation));
  const written = requests.filter(({ operation }) => COMPARED.test(operation));
  return {
    hosts: [...new Set(requests.map(({ host }) => own(host)))].sort(),
    // A trial whether two roots of a service are one (decision 0027) is no part of the work.
    written: [...new Set(written.map(told))].filter((text) => !text.includes(PARTIAL)).sort(),
    ranges: ranges.sort(),
    overrides: log.of('getContent').some(({ query }) => query.has('AVOverride')),
  };
}

describe.skipIf(!isRcloneNow)('what an option of a drive does', () => {
  for (const [command, options, special = {}] of CASES) {
    test.concurrent.each(options)(`${command} %s`, async (option) => {
      const line = `${command} ${option}`;
      const [ours, theirs] = [await run('ours', line, special), await run('theirs', line, special)];
      expect(ours.seen, `${ours.stderr}\n${theirs.stderr}`).toEqual(theirs.seen);
    });
  }
});
