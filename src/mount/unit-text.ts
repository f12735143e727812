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
  const environment = Object.entries(parts.env).map(
    ([name, value]) => `Environment="${plain(`${name}=${value}`)}"`,
  );
  return [
    '[Unit]',
    `Description=${escaped(`${source} on ${mountPoint}`)} (syncer)`,
    'Wants=network-online.target',
    'After=network-online.target',
    `AssertPathIsDirectory=${escaped(mountPoint)}`,
    '',
    '[Service]',
    'Type=notify',
    ...environment,
    `ExecStart=${[...parts.program, ...parts.argv].map(quoted).join(' ')}`,
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

/** `%` begins what systemd replaces. */
function escaped(text: string): string {
  return text.replaceAll('%', '%%');
}

/** A word of a command line by systemd's rules, where `$` would be a variable. */
function quoted(word: string): string {
  const text = word.replaceAll('$', '$$$$');
  return /^[\w@%+=:,./$-]+$/.test(text) ? escaped(text) : `"${plain(text)}"`;
}

/** What stands between double quotes. */
function plain(text: string): string {
  return escaped(text).replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n');
}
