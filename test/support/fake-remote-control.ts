import { hash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { basename, dirname, join } from 'node:path';
import { RCLONE_LIES, type RcloneLie } from './rclone-lies.ts';

/**
 * `rclone rcd` of `installFakeRclone`: a remote `name:` is the directory `root` of its section. It lies as the file of
 * `FAKE_RCLONE_LIE` says, which is read for each request, and writes the name of each call to the file beside it.
 */
type Input = Readonly<Record<string, unknown>>;

const { env } = process;

/** The directory or file of this machine that a call is about. */
function native(fs: unknown, remote: unknown): string {
  const text = String(fs);
  const [, name, below = ''] = /^(\w+)(?:,[^:]*)?:(.*)$/s.exec(text) ?? [];
  if (name === undefined) return join(text.replace(/^:local[^:]*:/, ''), String(remote));
  const config = readFileSync(env['RCLONE_CONFIG'] ?? '', 'utf8');
  const section = config.split(/^(?=\[)/m).find((one) => one.startsWith(`[${name}]`)) ?? '';
  const root = /^root = (.*)$/m.exec(section)?.[1];
  if (root === undefined) throw new Error("didn't find section in config file");
  return join(root, below, String(remote));
}

class NotFound extends Error {}

function statsOf(path: string, what: string): Stats {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new NotFound(what);
  return stats;
}

function itemOf(path: string, remote: string, stats: Stats): object {
  const isDir = stats.isDirectory();
  return {
    Path: remote,
    Name: basename(remote),
    Size: stats.size,
    MimeType: isDir ? 'inode/directory' : 'application/octet-stream',
    ModTime: stats.mtime.toISOString(),
    IsDir: isDir,
    ...(isDir ? {} : { Hashes: { md5: hash('md5', readFileSync(path)) } }),
  };
}

function transfer(input: Input, renames: boolean): object {
  const [from, to] = [
    native(input['srcFs'], input['srcRemote']),
    native(input['dstFs'], input['dstRemote']),
  ];
  const { atime, mtime, size } = statsOf(from, 'object not found');
  if (currentLie()?.hidesSizes && size > 0)
    throw new Error(`corrupted on transfer: sizes differ src 0 vs dst ${size}`);
  // What a crypt says.
  if (existsSync(to) && statSync(to).isDirectory())
    throw new Error("can't move object - incompatible remotes");
  mkdirSync(dirname(to), { recursive: true });
  if (renames) renameSync(from, to);
  else {
    copyFileSync(from, to);
    utimesSync(to, atime, mtime);
  }
  return {};
}

const FEATURES = ['CanHaveEmptyDirectories', 'Move', 'Purge', 'About', 'PublicLink', 'DirMove'];

const CALLS: Readonly<Record<string, (input: Input) => object>> = {
  'rc/noop': () => ({}),
  'operations/fsinfo': ({ fs }) => ({
    Name: 'far',
    Root: '',
    // As of a remote with options in variables.
    String: `Far away '${String(fs).replace(/[,:].*/, '')}{hqHuu}:'`,
    Precision: 1_000_000,
    Hashes: ['md5'],
    Features: Object.fromEntries(FEATURES.map((name) => [name, true])),
  }),
  'operations/list': ({ fs, remote }) => {
    const dir = native(fs, remote);
    statsOf(dir, 'directory not found');
    const list = readdirSync(dir).map((name) => {
      const path = join(dir, name);
      return itemOf(path, join(String(remote), name), lstatSync(path));
    });
    return { list };
  },
  'operations/stat': ({ fs, remote }) => {
    const path = native(fs, remote);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return { item: stats === undefined ? null : itemOf(path, String(remote), stats) };
  },
  'operations/copyfile': (input) => transfer(input, false),
  'operations/movefile': (input) => transfer(input, true),
  'operations/deletefile': ({ fs, remote }) => {
    statsOf(native(fs, remote), 'object not found');
    unlinkSync(native(fs, remote));
    return {};
  },
  'operations/mkdir': ({ fs, remote }) => {
    mkdirSync(native(fs, remote), { recursive: true });
    return {};
  },
  'operations/rmdir': ({ fs, remote }) => {
    rmdirSync(native(fs, remote));
    return {};
  },
  'operations/purge': ({ fs, remote }) => {
    rmSync(native(fs, remote), { recursive: true });
    return {};
  },
  'operations/hashsumfile': ({ fs, remote, hashType }) => ({
    hash: hash('md5', readFileSync(native(fs, remote))),
    hashType,
  }),
  'operations/about': () => ({ total: 1000, used: 10, free: 990 }),
  'operations/publiclink': ({ remote }) => ({ url: `https://far.example/${remote}` }),
  'sync/move': ({ srcFs, dstFs }) => {
    mkdirSync(dirname(native(dstFs, '')), { recursive: true });
    renameSync(native(srcFs, ''), native(dstFs, ''));
    return {};
  },
  'sync/copy': () => ({}),
  'core/stats': () => ({ bytes: 0 }),
  'core/stats-delete': () => ({}),
  'job/batch': ({ inputs }) => ({
    results: (inputs as readonly Input[]).map((input) => answer(String(input['_path']), input)),
  }),
};

/** The answer to a call, with the status and the error of rclone if it fails. */
function answer(name: string, input: Input): Input {
  const lie = currentLie();
  try {
    const call = CALLS[name];
    if (call === undefined) throw new NotFound(`couldn't find method "${name}"`);
    return (lie?.call === name && lie.isUndone ? {} : call(input)) as Input;
  } catch (thrown) {
    const status = thrown instanceof NotFound ? 404 : 500;
    return { error: (thrown as Error).message, input, path: name, status };
  }
}

function currentLie(): RcloneLie | undefined {
  const name = readFileSync(env['FAKE_RCLONE_LIE'] ?? '', 'utf8');
  return name === '' ? undefined : RCLONE_LIES[name];
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const target = decodeURIComponent(request.url ?? '').slice(1);
    response.setHeader('server', 'rclone/v1.75.2');
    const [, fs, path] = /^\[(.*?)\]\/(.*)$/s.exec(target) ?? [];
    if (request.method === 'GET' && fs !== undefined) {
      const body = readFileSync(native(fs, path));
      const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
      if (from === undefined) return response.end(body);
      response.statusCode = 206;
      return response.end(body.subarray(Number(from), to === '' ? undefined : Number(to) + 1));
    }
    const input = JSON.parse(Buffer.concat(chunks).toString() || '{}') as Input;
    const lie = currentLie();
    if (lie?.call === target && lie.endsOnce) {
      writeFileSync(env['FAKE_RCLONE_LIE'] ?? '', '');
      process.exit(1);
    }
    const told = answer(target, input);
    const text = JSON.stringify(told);
    response.statusCode = told['error'] === undefined ? 200 : Number(told['status']);
    if (lie?.call !== target || lie.says === undefined || response.statusCode !== 200)
      return response.end(text);
    const { status = 200, body } = lie.says(told);
    response.statusCode = status;
    return response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
});

const socket = process.argv.find((word) => word.startsWith('--rc-addr=unix://')) ?? '';
server.listen(socket.slice('--rc-addr=unix://'.length));
process.on('SIGTERM', () => process.exit());
