import { join, resolve } from 'node:path';
import type { InstallerOptions } from '../options.ts';
import {
  checksum,
  duration,
  fromRoot,
  pathOf,
  port,
  programPath,
  token,
  url,
  wrong,
} from './check-option.ts';
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
