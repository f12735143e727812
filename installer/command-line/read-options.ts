import { join, resolve } from 'node:path';
import { SyncerError } from '../../src/core/errors.ts';
import { parseDuration } from '../../src/go/duration.ts';
import { holdsReference } from '../../src/webhook/file/reference-reader.ts';
import type { InstallerOptions } from '../options.ts';
import type { FlagTexts } from './parse-command-line.ts';

/** The release that is installed where nothing else is said. */
const VERSION = '2.8.0';

const RELEASES = 'https://github.com/adnanh/webhook/releases/download';

/** What of the machine the defaults come from. */
export interface InstallerSurroundings {
  /** The current folder. */
  readonly cwd: string;
  /** As `uname -m` says. */
  readonly machine: string;
}

/** Completes the flags with the specification's values. Throws `command-line` for a value that cannot be. */
export function readOptions(
  flags: FlagTexts,
  { cwd, machine }: InstallerSurroundings,
): InstallerOptions {
  const root = resolve(cwd, flags.root ?? '/');
  const workDir = fromRoot(root, resolve(cwd, flags['work-dir'] ?? '.'));
  const version = flags.version ?? VERSION;
  if (!/^\d+\.\d+\.\d+([-+][\w.+-]+)?$/.test(version))
    throw wrong('version', version, 'a version such as 2.8.0');
  const other = (['archive', 'version', 'sha256'] as const).find(
    (name) => flags[name] !== undefined,
  );
  if (flags.program !== undefined && other !== undefined) {
    throw new SyncerError('command-line', `--program and --${other} exclude each other`);
  }
  return {
    root,
    workDir: pathOf('work-dir', workDir),
    workDirGiven: flags['work-dir'] !== undefined,
    program: programPath('bin-dir', join(flags['bin-dir'] ?? '/usr/bin', 'webhook')),
    hooks: pathOf('hooks', flags.hooks ?? '/etc/webhook.conf'),
    unitDir: pathOf('unit-dir', flags['unit-dir'] ?? '/lib/systemd/system'),
    port: port(flags.port ?? '9191'),
    token: flags.token && token(flags.token),
    version,
    releaseUrl: url('release-url', flags['release-url'] ?? RELEASES).replace(/\/+$/, ''),
    mirrorUrl: flags['mirror-url'] && url('mirror-url', flags['mirror-url']),
    source: flags.program && resolve(cwd, flags.program),
    archive: flags.archive && resolve(cwd, flags.archive),
    caCert: flags['ca-cert'] && resolve(cwd, flags['ca-cert']),
    sha256: flags.sha256 && checksum(flags.sha256),
    machine: flags.arch ?? machine,
    hardened: flags.hardened !== undefined,
    restartDelay: `${duration('restart-delay', flags['restart-delay'] ?? '5s') / 1000}s`,
    timeouts: {
      connectMs: duration('connect-timeout', flags['connect-timeout'] ?? '5s'),
      testMs: duration('test-timeout', flags['test-timeout'] ?? '8s'),
      stallMs: duration('stall-timeout', flags['stall-timeout'] ?? '30s'),
      startMs: duration('start-timeout', flags['start-timeout'] ?? '20s'),
    },
  };
}

/** A path of the running system as the system in `root` sees it; one outside is taken to be inside already. */
function fromRoot(root: string, path: string): string {
  if (root === '/') return path;
  return path === root || path.startsWith(`${root}/`) ? path.slice(root.length) || '/' : path;
}

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

/** A path of a program: systemd takes no quotes and backslashes in it. Throws `command-line`. */
function programPath(flag: string, path: string): string {
  if (!/["'\\]/.test(path)) return pathOf(flag, path);
  throw wrong(flag, path, 'a path without quotes and backslashes');
}

/** A port. Throws `command-line`. */
function port(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number > 0 && number < 65536) return number;
  throw wrong('port', text, 'a number from 1 to 65535');
}

/** A token, which is compared as it is. Throws `command-line`. */
function token(text: string): string {
  if (text.trim() === '') throw wrong('token', text, 'a token: it is blank');
  if (!holdsReference(text)) return text;
  throw wrong('token', text, 'a token: the server replaces a reference in it');
}

/** An address of the web. Throws `command-line`. */
function url(flag: string, text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw wrong(flag, text, 'an address that begins with https:// or http://');
}

/** A SHA-256 in lower case. Throws `command-line`. */
function checksum(text: string): string {
  if (/^[\da-f]{64}$/i.test(text)) return text.toLowerCase();
  throw wrong('sha256', text, '64 hexadecimal digits');
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
