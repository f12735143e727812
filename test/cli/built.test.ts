import { execFile } from 'node:child_process';
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COMMANDS } from '../../commands/index.ts';
import { allUsages } from '../../src/shell/command-line/command.ts';
import { startTestS3, type TestS3 } from '../servers/test-s3.ts';
import { COMPILED_CACHE } from '../support/compiled-cache.ts';
import { writeTree } from '../support/file-tree.ts';
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
-V
help
help flags copy
help backend s3
help sync
help nonsense
nonsense
--no-such-flag
copy --help
trash --help
copy files
copy files copied --no-such-flag
copy files copied --log-level loud
copy files copied -v --transfers 1 && copy files copied -v
copy files copied -vv --use-json-log --transfers 1
copy files copied --log-file log && cat log
copy files copied --dry-run
copy files copied --review
copy files copied --report report.json && lsf .
copy files copied --include *.txt && lsf -R copied
copy files copied --max-transfer 1B --retries 1
copy files files-again --error-on-no-transfer && copy files files-again --error-on-no-transfer
copy large copied --max-duration 1s --bwlimit 500k --retries 1
copy files away:bucket --retries 1 --low-level-retries 1
copy files nowhere:bucket
copy files sftp:x --rclone-program /nonexistent/rclone
copy files BUCKET -v --transfers 1 && lsf -R BUCKET && check files BUCKET && copy BUCKET back && check files back
sync files other -v --transfers 1 && lsf -R other
sync empty files --max-delete 1 && lsf -R files
sync empty files --guard on && lsf -R files
sync files other --trash && trash ls other && trash ls other --json && trash restore other && trash empty other
sync files other --save plan.json && apply plan.json && apply plan.json
sync files BUCKET --trash && sync other BUCKET --trash && trash ls BUCKET && undo RUN
copyto files/a.txt one.txt && cat one.txt
copyto files/missing one.txt
move files moved && lsf -R .
convmv files --name-transform all,prefix=new- && lsf -R files
moveto files/a.txt files/z.txt && undo RUN && lsf files
copy files/a.txt other --immutable --retries 1
bisync files other --resync && bisync files other && bisync files empty
apply missing.json
run nothing
job nothing
why files other a.txt
why files other a.txt --json
guard init files
check files other --combined -
check files other --json
copy files copied && history && history --json
undo nothing
scrub empty --json && scrub files -q
ls files
ls files/a.txt
lsl files
lsd .
lsf files
lsf files --csv --format ps
lsjson -R files --hash
lsjson files/a.txt --stat
size files --json
tree files
tree files -a -s -D --color always
ncdu files
ncdu files -o scan && cat files/a.txt
cat files/b.bin
cat files/a.txt files/b.bin
cat files/a.txt --head 2
cat large --discard
rcat stored < piped text && cat stored
rcat BUCKET/stored < piped text && cat BUCKET/stored
rcat
copyurl http://127.0.0.1:1/x got --retries 1 --low-level-retries 1
copyurl ENDPOINT/nothing got --retries 1 --low-level-retries 1
md5sum - < piped text
md5sum files --output-file sums.out && cat sums.out
sha1sum files --base64
hashsum nonsense files
checksum md5 sums other
mkdir made && lsd .
mkdir BUCKET/x
rmdir empty && lsd .
rmdirs . --leave-root && lsd .
delete files -v --checkers 1 && lsf -R files
deletefile files/a.txt && lsf files
deletefile files/missing
purge files && lsf .
purge files -i < n
delete files -i < y n n
cleanup BUCKET
touch files/new -t 2001-02-03T04:05:06 && lsl files
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
listremotes nothing
authorize nonsense
serve
serve http missing --addr localhost:0
serve s3 missing --addr localhost:0
serve webdav missing --addr localhost:0
config create new local && config show new && config file
config create new alias remote=/x && config update new remote=/y && config unset new remote && config dump
config create new alias remote=/x && config rename new old && config delete old && listremotes
config delete nothing
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
ps --help
attach
attach nothing
pause nothing
resume nothing
stop nothing
worker
unlock BUCKET run
set nothing transfers=4
mount files
mounts extra
mounts --help
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
gendocs pages && lsf pages --include syncer_c*
home
demo --help
__complete words -- copy --tr
lsf files --config missing.conf
lsf files --config bad.conf
lsf files --files-from - < a.txt
lsf files --include {x
lsf -vv files
lsf -q nowhere:
lsf BUCKET-missing
lsjson BUCKET --fast-list
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
const LARGE = { large: 'x'.repeat(3_000_000) };

const program = resolve(import.meta.dirname, '../../dist/syncer.js');

/** What a test's lines gave, one after another. */
type Given = readonly { readonly code: number; readonly stdout: string; readonly stderr: string }[];
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
  if (lines.includes(' large')) await writeTree(dir, LARGE);
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
  const given = [];
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
    given.push({ code, stdout: text(stdout), stderr: comparable(stderr, name) });
  }
  return given;
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
    .replaceAll(/\b\d+(\.\d+)?(ms| ?s)\b/g, 'SECONDS')
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
