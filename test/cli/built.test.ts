import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COMMANDS } from '../../commands/index.ts';
import { allUsages } from '../../src/shell/command-line/command.ts';
import { startTestS3, type TestS3 } from '../servers/test-s3.ts';
import { COMPILED_CACHE } from '../support/compiled-cache.ts';
import { readTree, writeTree } from '../support/file-tree.ts';
import { runForBytes } from '../support/run-in-process.ts';
import { section } from '../support/s3-world.ts';

// Other tests run command lines inside their own process, from the source. The built program does the same with them.

/**
 * Lines of one test, separated by ` && `, as they run one after another in a directory with `TREE`. `BUCKET` is an
 * empty bucket of the test, `ENDPOINT` its server, `RUN` the last run in the history; ` < ` begins the standard input.
 */
const LINES = `
version
version --json
help
help flags copy
help backend s3
help sync
nonsense
--no-such-flag
copy --help
copy files
copy files copied -v --transfers 1
copy files copied -vv --use-json-log --transfers 1
copy files copied --log-file log
copy files copied --review
copy files copied --report report.json
copy files copied --include *.txt
copy empty other --error-on-no-transfer
copy files away:bucket --retries 1 --low-level-retries 1
copy files nowhere:bucket
copy files sftp:x --rclone-program /nonexistent/rclone
copy files BUCKET -v --transfers 1 && check files BUCKET && copy BUCKET back
sync files other -v --transfers 1
sync empty files --max-delete 1
sync empty files --guard on
sync files other --trash && trash ls other && trash restore other && trash empty other
sync files other --save plan.json && apply plan.json
sync files BUCKET && sync other BUCKET --trash && undo RUN
copyto files/a.txt one.txt
copyto files/missing one.txt
move files moved
convmv files --name-transform all,prefix=new-
moveto files/a.txt files/z.txt && undo RUN
bisync files other --resync && bisync files other
apply missing.json
run nothing
job nothing
why files other a.txt
guard init files
check files other --combined -
copy files copied && history --json
undo nothing
scrub empty --json && scrub files -q
ls files
lsl files
lsd .
lsf files
lsjson -R files --hash
size files --json
tree files -a -s -D --color always
ncdu files
ncdu files -o scan
cat files/b.bin
rcat stored < piped text
rcat BUCKET/stored < piped text && cat BUCKET/stored
copyurl ENDPOINT/nothing got --retries 1 --low-level-retries 1
md5sum - < piped text
md5sum files --output-file sums.out
sha1sum files --base64
hashsum nonsense files
checksum md5 sums other
mkdir made
mkdir BUCKET/x
rmdir empty
rmdirs . --leave-root && lsd .
delete files -v --checkers 1
deletefile files/a.txt
purge files
purge files -i < n
cleanup BUCKET
touch files/new -t 2001-02-03T04:05:06
about BUCKET
link BUCKET/a.txt
copy files BUCKET && settier STANDARD_IA BUCKET && lsf BUCKET --format pT
dedupe skip files
versions ls BUCKET
versions restore BUCKET
versions prune BUCKET
uploads ls BUCKET --json
uploads abort BUCKET
backend features BUCKET
obscure
reveal nonsense
listremotes --json
authorize nonsense
serve
serve http missing --addr localhost:0
serve s3 missing --addr localhost:0
serve webdav missing --addr localhost:0
config create new local && config show new && config file
config create new alias remote=/x && config update new remote=/y && config unset new remote
config create new alias remote=/x && config rename new old && config delete old
config new
config edit nothing
config password nothing pass=x
config show
config redacted
config string files
config dump
config paths
config touch
config providers
config reconnect away:
config disconnect away:
config userinfo away:
config import missing.conf
config encryption check
ps extra
attach
pause nothing
resume nothing
stop nothing
worker
unlock BUCKET run
set nothing transfers=4
mount files
mounts extra
unmount nothing
hooks list
hooks history
hooks show run
hooks follow run
hooks rerun run
doctor --no-such-flag
completion bash
completion zsh
completion fish
completion powershell
genautocomplete bash -
genautocomplete zsh -
genautocomplete fish -
gendocs pages
home
demo --help
__complete words -- copy --tr
lsf files --config bad.conf
lsf files --files-from - < a.txt
lsf -vv files
lsf BUCKET-missing
`;

const TREE = {
  'files/a.txt': 'hello',
  'files/dir/c': 'below',
  'files/dir/größe': 'ü',
  'other/a.txt': 'other',
  'other/extra': 'x',
  'empty/': '',
  sums: '5d41402abc4b2a76b9719d911017c592  a.txt\n',
  'bad.conf': 'no section = 1\n',
};

/** Bytes that are no text. */
const BINARY = Buffer.from([0, 1, 0xff, 0xfe, 0xc3, 13, 10, 27, 91, 51, 49, 109]);

const program = resolve(import.meta.dirname, '../../dist/syncer.js');

/** What a test's lines gave, one after another, and the files that were then there. */
interface Given {
  readonly runs: readonly {
    readonly code: number;
    readonly stdout: string;
    readonly stderr: string;
  }[];
  readonly files: readonly string[];
}
/** Runs a line in a directory, and gives it its standard input. */
type Run = (
  words: readonly string[],
  how: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly input: string },
) => Promise<{ readonly code: number; readonly stdout: Buffer; readonly stderr: string }>;

const asProcess: Run = (words, { cwd, env, input }) =>
  new Promise((done, fail) => {
    const options = { cwd, env, encoding: 'buffer', maxBuffer: 1 << 26 } as const;
    const child = execFile(process.execPath, [program, ...words], options, (error, ...out) => {
      const code = error === null ? 0 : error.code;
      if (typeof code !== 'number') return fail(error);
      done({ code, stdout: out[0], stderr: out[1].toString() });
    });
    child.stdin?.on('error', () => {}).end(input);
  });

const inside: Run = async (words, { cwd, env, input }) => {
  process.chdir(cwd);
  return await runForBytes(words, env, { input });
};

let base: string;
let s3: TestS3;

/** Prepares a directory, runs the lines in it, and replaces what no two runs have in common. */
async function give(lines: string, name: string, run: Run): Promise<Given> {
  const dir = join(base, name);
  const home = join(base, `home-${name}`);
  const config = join(home, 'syncer.conf');
  const remotes = section(s3) + section({ ...s3, endpoint: 'http://127.0.0.1:1' }, 'away');
  await Promise.all([
    writeTree(join(s3.root, name), {}),
    writeTree(home, {}),
    writeTree(dir, TREE),
  ]);
  await writeFile(join(dir, 'files/b.bin'), BINARY);
  await utimes(join(dir, 'files/b.bin'), 1_000_000_000, 1_000_000_000);
  await writeFile(config, remotes, { mode: 0o600 });
  const env = {
    PATH: process.env['PATH'],
    TZ: 'UTC',
    LC_ALL: 'C.UTF-8',
    HOME: home,
    XDG_RUNTIME_DIR: home,
    TMPDIR: tmpdir(),
    SYNCER_CONFIG: config,
    NODE_NO_WARNINGS: '1',
    ...COMPILED_CACHE,
  };
  const runs = [];
  for (const each of lines.split(' && ')) {
    const [line = '', input = ''] = each.split(' < ');
    let words = line
      .split(' ')
      .map((word) => word.replace('BUCKET', `store:${name}`).replace('ENDPOINT', s3.endpoint));
    if (words.includes('RUN')) {
      const { stdout } = await run(['history', '--json'], { cwd: dir, env, input: '' });
      const { id = '' } = JSON.parse(`${stdout}`.split('\n')[0] || '{}') as {
        readonly id?: string;
      };
      words = words.map((word) => (word === 'RUN' ? id : word));
    }
    const { code, stdout, stderr } = await run(words, { cwd: dir, env, input });
    const text = (bytes: Buffer | string) => comparable(bytes.toString('latin1'), name);
    runs.push({ code, stdout: text(stdout), stderr: comparable(stderr, name) });
  }
  return { runs, files: await contents(dir, join(s3.root, name), config, name) };
}

/** Each file of these places with its content, without what the server keeps beside the bucket's. */
async function contents(
  dir: string,
  bucket: string,
  config: string,
  name: string,
): Promise<readonly string[]> {
  const trees = await Promise.all([dir, bucket].map((place) => readTree(place)));
  const files = trees.flatMap((tree) =>
    Object.entries(tree ?? {}).map(([path, file]) => `${path} ${file.replace(/@\d+$/, '')}`),
  );
  return [...files, await readFile(config, 'utf8')]
    .filter((file) => !file.startsWith('.syncer-s3'))
    .map((file) =>
      comparable(file, name)
        .replace(/(?<=\.syncer-guard )[0-9a-f]{32}/, 'ID')
        .replaceAll(/"(tookSeconds|bytesPerSecond|peak|timestamp|ino|mtime)": ?[\d.]+/g, '"$1":0'),
    )
    .sort();
}

/** Without the names of the test, and what a clock, a process or chance gave. */
function comparable(text: string, name: string): string {
  return text
    .replaceAll(name, 'NAME')
    .replaceAll(
      /\b20[2-9]\d[-/]\d\d[-/]\d\d[ T]\d\d:\d\d(:\d\d)?(\.\d+)?( UTC|Z|[+-]\d\d:?\d\d)?/g,
      'TIME',
    )
    .replaceAll(/\b20[2-9]\d{5}-\d{6}-\w{4}\b/g, 'RUN')
    .replaceAll(/ *\b\d+(\.\d+)?(ms| ?s)\b/g, ' SECONDS')
    .replaceAll(/\d+(\.\d+)? ?([KM]i)?B?(yte)?\/s/g, 'SPEED')
    .replaceAll(/\bETA \S+/g, 'ETA')
    .replaceAll(/"(elapsedTime|transferTime|speed|tookMs|endedMs|peakMemory)":[\d.]+/g, '"$1":0');
}

const cases = LINES.trim().split('\n');
const names = (at: number) => ({ built: `built-${at}`, inside: `inner-${at}` });
const builds: Promise<Given>[] = [];

beforeAll(async () => {
  [base, s3] = await Promise.all([mkdtemp(join(tmpdir(), 'syncer-test-')), startTestS3()]);
  // Four at a time, while the tests compare what is done.
  const ways = Array.from({ length: 4 }, () => Promise.resolve() as Promise<unknown>);
  for (const [at, lines] of cases.entries()) {
    const given = (ways[at % ways.length] as Promise<unknown>).then(() =>
      give(lines, names(at).built, asProcess),
    );
    ways[at % ways.length] = given.catch(() => {});
    builds.push(given);
  }
});
afterAll(async () => {
  process.chdir(resolve(import.meta.dirname, '../..'));
  await Promise.allSettled(builds);
  await s3.stop();
  await rm(base, { recursive: true, force: true });
});

test.each(cases.map((lines, at) => [lines, at] as const))(
  'the built program does as its source does: %s',
  async (lines, at) => {
    const ours = await give(lines, names(at).inside, inside);
    expect(await builds[at]).toEqual(ours);
  },
);

test('every command is in one of the compared command lines', () => {
  const all = cases.flatMap((lines) => lines.split(' && '));
  const missing = allUsages(COMMANDS)
    .map(({ name }) => name)
    .filter((name) => !all.some((line) => line === name || line.startsWith(`${name} `)));
  expect(missing).toEqual([]);
});
