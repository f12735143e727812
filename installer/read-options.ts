import { join, resolve } from 'node:path';
import { SyncerError } from '../src/core/errors.ts';
import { parseDuration } from '../src/go/quantities.ts';
import type { KnownFlag } from '../src/shell/command-line/flag-set.ts';
import { readTokens } from '../src/shell/command-line/read-tokens.ts';
import { holdsReference } from '../src/webhook/file/reference-reader.ts';

/** The release that is installed where nothing else is said. */
const VERSION = '2.8.0';

const RELEASES = 'https://github.com/adnanh/webhook/releases/download';

/** The flags, completed with the specification's values. Paths are inside `root`. Throws `command-line`. */
export function readOptions(
  flags: FlagTexts,
  { cwd, machine }: { readonly cwd: string; readonly machine: string },
) {
  const root = resolve(cwd, flags.root ?? '/');
  let workDir = resolve(cwd, flags['work-dir'] ?? '.');
  // As the system in `root` sees it; one outside is taken to be inside already.
  const isInside = workDir === root || workDir.startsWith(`${root}/`);
  if (root !== '/' && isInside) workDir = workDir.slice(root.length) || '/';
  const version = flags.version ?? VERSION;
  if (!/^\d+\.\d+\.\d+([-+][\w.+-]+)?$/.test(version))
    throw wrong('version', version, 'a version such as 2.8.0');
  const other = (['archive', 'version', 'sha256'] as const).find(
    (name) => flags[name] !== undefined,
  );
  if (flags.program !== undefined && other !== undefined) {
    throw new SyncerError('command-line', `--program and --${other} exclude each other`);
  }
  const { port = '9191', token, sha256 } = flags;
  if (!/^\d+$/.test(port) || Number(port) === 0 || Number(port) > 65535)
    throw wrong('port', port, 'a number from 1 to 65535');
  if (token && token.trim() === '') throw wrong('token', token, 'a token: it is blank');
  if (token && holdsReference(token))
    throw wrong('token', token, 'a token: the server replaces a reference in it');
  if (sha256 && !/^[\da-f]{64}$/i.test(sha256))
    throw wrong('sha256', sha256, '64 hexadecimal digits');
  const program = join(flags['bin-dir'] ?? '/usr/bin', 'webhook');
  // systemd takes none of these in the path of a program.
  if (/["'\\]/.test(program))
    throw wrong('bin-dir', program, 'a path without quotes and backslashes');
  return {
    /** The system that is worked on: `/`, or the folder that holds another one; absolute. */
    root,
    /** The specification's `<work_dir>`, absolute. */
    workDir: pathOf('work-dir', workDir),
    /** Whether the user named it; uninstalling otherwise also looks where the hook file points. */
    workDirGiven: flags['work-dir'] !== undefined,
    program: pathOf('bin-dir', program),
    hooks: pathOf('hooks', flags.hooks ?? '/etc/webhook.conf'),
    unitDir: pathOf('unit-dir', flags['unit-dir'] ?? '/lib/systemd/system'),
    port: Number(port),
    /** Absent: a random one. It is compared as it is. */
    token,
    version,
    /** Without a slash at the end. */
    releaseUrl: url('release-url', flags['release-url'] ?? RELEASES).replace(/\/+$/, ''),
    mirrorUrl: flags['mirror-url'] && url('mirror-url', flags['mirror-url']),
    /** The program to install; absent: a release. This and the next two are files of the running system. */
    source: flags.program && resolve(cwd, flags.program),
    archive: flags.archive && resolve(cwd, flags.archive),
    /** Further certificate authorities, in PEM. */
    caCert: flags['ca-cert'] && resolve(cwd, flags['ca-cert']),
    sha256: sha256?.toLowerCase(),
    /** The machine's architecture as `uname -m` names it. */
    machine: flags.arch ?? machine,
    hardened: flags.hardened !== undefined,
    /** As systemd reads it. */
    restartDelay: `${duration('restart-delay', flags['restart-delay'] ?? '5s') / 1000}s`,
    /** How long things may take, in milliseconds. */
    timeouts: {
      connectMs: duration('connect-timeout', flags['connect-timeout'] ?? '5s'),
      /** The whole connectivity test. */
      testMs: duration('test-timeout', flags['test-timeout'] ?? '8s'),
      /** Without a byte during the download. */
      stallMs: duration('stall-timeout', flags['stall-timeout'] ?? '30s'),
      /** From the start of the service to its answer. */
      startMs: duration('start-timeout', flags['start-timeout'] ?? '20s'),
    },
  };
}

/** The flags, read and completed. */
export type InstallerOptions = Readonly<ReturnType<typeof readOptions>>;

/** A path that units and hook files can hold. Throws `command-line`. */
function pathOf(flag: string, path: string): string {
  // Readers of YAML take other characters for line breaks, and Node has replaced bytes that are not UTF-8.
  if (/^\/[^\p{Cc}\u2028\u2029\ufeff\ufffd]*$/u.test(path) && path === path.trim()) return path;
  throw wrong(
    flag,
    path,
    'an absolute path in UTF-8 without control characters or blanks at its end',
  );
}

/** An address of the web. Throws `command-line`. */
function url(flag: string, text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw wrong(flag, text, 'an address that begins with https:// or http://');
}

/** A time in milliseconds. Throws `command-line`. */
function duration(flag: string, text: string): number {
  try {
    const ms = parseDuration(text, 0);
    if (Number.isFinite(ms) && ms > 0) return ms;
  } catch (thrown) {
    if (!(thrown instanceof SyncerError)) throw thrown;
  }
  throw wrong(flag, text, 'a time such as 5s');
}

/** The error for a value that a flag does not take. */
function wrong(flag: string, value: string, wanted: string): SyncerError {
  return new SyncerError('command-line', `--${flag} "${value}" is not ${wanted}`);
}

/** What the program can be told to do by a word. */
export const ACTIONS = ['install', 'uninstall', 'upgrade', 'help', 'version'] as const;

/** The values of flags as they were written; a flag without a value holds the empty text. */
export type FlagTexts = Readonly<Partial<Record<FlagName, string>>>;

/** The command line, read. */
export interface InstallerCommandLine {
  /** `menu` where no word says it. */
  readonly action: (typeof ACTIONS)[number] | 'menu';
  readonly flags: FlagTexts;
}

/** Reads the words after the program's name, as syncer reads its own. Throws `command-line` for what it does not know. */
export function parseCommandLine(argv: readonly string[]): InstallerCommandLine {
  // As `version`, and as for most programs; with a value it is the release to install.
  if (argv[0] === '--version' && !/^[^-]/.test(argv[1] ?? ''))
    return { action: 'version', flags: {} };
  const flags: Partial<Record<FlagName, string>> = {};
  let action: (typeof ACTIONS)[number] | undefined;
  const known = FLAGS.map(({ name, short, value, help }: InstallerFlag): KnownFlag => {
    const type = value === undefined ? 'bool' : 'string';
    const names = { ...(short && { short }), ...(value && { placeholder: value }) };
    return { key: name, name, definition: { ...names, type, help, group: 'command' } };
  });
  const flagSet = {
    byName: new Map(known.map((flag) => [flag.name, flag])),
    byShort: new Map(known.map((flag) => [flag.definition.short ?? '', flag])),
  };
  const wrongLine = (why: string) => new SyncerError('command-line', why);
  for (const token of readTokens(argv, flagSet)) {
    if (token.kind === 'flag') {
      const { flag, typed, value } = token;
      const { type, placeholder } = flag.definition;
      if (type === 'bool' && value !== undefined)
        throw wrongLine(`the flag ${typed} takes no value`);
      if (type !== 'bool' && !value)
        throw wrongLine(`the flag ${typed} needs a value: ${placeholder}`);
      flags[flag.key as FlagName] = value ?? '';
      continue;
    }
    const { text } = token;
    if (action !== undefined) throw wrongLine(`unexpected argument "${text}" after "${action}"`);
    action = ACTIONS.find((one) => one === text);
    if (action === undefined)
      throw wrongLine(`unknown command "${text}": use ${ACTIONS.join(', ')}`);
  }
  if (flags.help !== undefined) action = 'help';
  return { action: action ?? 'menu', flags };
}

export interface InstallerFlag {
  /** Without its dashes. */
  readonly name: string;
  readonly short?: string;
  /** What its value is called in the help; absent for a flag that takes none. */
  readonly value?: string;
  /** What it does, with its default. */
  readonly help: string;
}

/** The flags of `webhook-installer`: the help, the manual page and the parser read this one table. */
export const FLAGS = [
  { name: 'yes', short: 'y', help: 'do not ask for confirmation' },
  { name: 'dry-run', short: 'n', help: 'show the steps without changing anything' },
  { name: 'root', value: 'DIR', help: 'install into the system below this directory' },
  {
    name: 'work-dir',
    value: 'DIR',
    help: 'directory in which to create "webhook" (current directory)',
  },
  { name: 'port', value: 'N', help: 'port of the hook server (9191)' },
  { name: 'token', value: 'TEXT', help: 'token of the hook "test" (random)' },
  {
    name: 'program',
    value: 'FILE',
    help: "install this program instead of a release: syncer's webhook, which lies beside this one",
  },
  { name: 'version', value: 'N.N.N', help: 'release of webhook to install (2.8.0)' },
  {
    name: 'release-url',
    value: 'URL',
    help: 'base URL of the releases, one directory per version (https://github.com/adnanh/webhook/releases/download)',
  },
  {
    name: 'mirror-url',
    value: 'URL',
    help: 'prefix for the release URL if that does not return 200',
  },
  { name: 'archive', value: 'FILE', help: 'install this archive instead of downloading one' },
  { name: 'ca-cert', value: 'FILE', help: 'also trust these certificate authorities (PEM)' },
  { name: 'sha256', value: 'HEX', help: 'SHA-256 checksum to verify the archive with' },
  { name: 'arch', value: 'NAME', help: 'x86_64 or aarch64 (default: this machine)' },
  {
    name: 'hardened',
    help: 'run as a dedicated, sandboxed user with socket activation; pass the hook file as a credential',
  },
  { name: 'bin-dir', value: 'DIR', help: 'directory of the program (/usr/bin)' },
  { name: 'hooks', value: 'FILE', help: 'hook file (/etc/webhook.conf)' },
  { name: 'unit-dir', value: 'DIR', help: 'directory of the units (/lib/systemd/system)' },
  { name: 'restart-delay', value: 'TIME', help: 'delay before systemd restarts the service (5s)' },
  { name: 'connect-timeout', value: 'TIME', help: 'connect timeout (5s)' },
  { name: 'test-timeout', value: 'TIME', help: 'timeout of the connection test (8s)' },
  { name: 'stall-timeout', value: 'TIME', help: 'idle timeout of the download (30s)' },
  {
    name: 'start-timeout',
    value: 'TIME',
    help: 'how long to wait for the service to respond (20s)',
  },
  { name: 'no-mouse', help: 'do not use the mouse in the menu' },
  { name: 'help', short: 'h', help: 'show this help' },
] as const satisfies readonly InstallerFlag[];

export type FlagName = (typeof FLAGS)[number]['name'];
