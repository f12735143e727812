import { resolve } from 'node:path';
import { backendFlags } from '../../src/shell/command-line/backend-flags.ts';
import { flagSetOf } from '../../src/shell/command-line/flag-set.ts';
import { absoluteSpec, absoluteWords } from '../../src/shell/unit/absolute-words.ts';
import { unitEnvironmentLines, unitValue, unitWord } from '../../src/shell/unit/systemd-text.ts';
import { type UnitEnvironment, unitEnvironment } from '../../src/shell/unit/unit-words.ts';
import { MOUNT_FLAGS } from './flags.ts';

/** The variable parts of a unit. */
export interface UnitParts {
  /** The start of the command: the executable and the words before its arguments. */
  readonly program: readonly string[];
  /** The arguments that mount, with absolute paths. */
  readonly argv: readonly string[];
  readonly source: string;
  readonly mountPoint: string;
  /** The user it runs as; absent for a unit of root. */
  readonly isForUser: boolean;
  /** Environment variables that the mount needs. */
  readonly env: Readonly<Record<string, string>>;
  /** Time limit for the end of the mount, in seconds. */
  readonly stopSeconds: number;
}

/** A systemd unit for the mount: started when it responds, restarted when it fails. */
export function unitText(parts: UnitParts): string {
  const { source, mountPoint, isForUser, stopSeconds } = parts;
  return [
    '[Unit]',
    `Description=${unitValue(`${source} on ${mountPoint}`)} (syncer)`,
    'Wants=network-online.target',
    'After=network-online.target',
    `AssertPathIsDirectory=${unitValue(mountPoint)}`,
    '',
    '[Service]',
    'Type=notify',
    ...unitEnvironmentLines(parts.env),
    `ExecStart=${[...parts.program, ...parts.argv].map(unitWord).join(' ')}`,
    'KillMode=mixed',
    'SuccessExitStatus=143',
    `TimeoutStopSec=${stopSeconds}`,
    'Restart=on-failure',
    'RestartSec=5',
    '',
    '[Install]',
    `WantedBy=${isForUser ? 'default.target' : 'multi-user.target'}`,
    '',
  ].join('\n');
}

/** The parts of a unit from a command line of `mount` and its environment; relative paths start at `folder`. */
export function unitParts(line: {
  readonly args: readonly string[];
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly folder: string;
}): Pick<UnitParts, 'argv' | 'source' | 'mountPoint'> & UnitEnvironment {
  const { args, argv, env, folder } = line;
  const [source = '', place = ''] = args;
  const flags = flagSetOf([{ flags: MOUNT_FLAGS }], 'mount', backendFlags());
  return {
    argv: absoluteWords(argv, flags, folder, { localPlace: 2 }),
    source: absoluteSpec(source, folder),
    mountPoint: resolve(folder, place),
    ...unitEnvironment(env, flags, folder),
  };
}
