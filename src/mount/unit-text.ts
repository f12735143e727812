import { unitEnvironmentLines, unitValue, unitWord } from '../app/unit/systemd-text.ts';

/** What a unit is made of. */
export interface UnitParts {
  /** How the program is started: the executable and the words before its arguments. */
  readonly program: readonly string[];
  /** The words of the command line that mounts, with absolute paths. */
  readonly argv: readonly string[];
  readonly source: string;
  readonly mountPoint: string;
  /** The user it runs as; absent for a unit of root. */
  readonly isForUser: boolean;
  /** Variables of the environment that the mount needs. */
  readonly env: Readonly<Record<string, string>>;
  /** How long the end may take, in seconds. */
  readonly stopSeconds: number;
}

/** A systemd unit for the mount: started when it answers, restarted when it fails. */
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
