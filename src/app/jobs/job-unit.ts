import { unitEnvironmentLines, unitValue, unitWord } from '../unit/systemd-text.ts';

/** What the units of a job are made of. */
export interface JobUnitParts {
  readonly name: string;
  /** How the program is started: the executable and the words before its arguments. */
  readonly program: readonly string[];
  /** Flags that say where the configuration is. */
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** When it runs: a calendar event of systemd.time(7), such as `daily` or `Mon *-*-* 04:00`. */
  readonly schedule: string;
}

/** A service that runs a job once, and the timer that starts it: two files in one text, each below its name. */
export function jobUnitText({ name, program, flags, env, schedule }: JobUnitParts): string {
  const command = [...program, 'run', name, ...flags].map(unitWord).join(' ');
  return [
    `# syncer-${name}.service`,
    '[Unit]',
    `Description=syncer run ${unitValue(name)}`,
    'Wants=network-online.target',
    'After=network-online.target',
    '',
    '[Service]',
    'Type=oneshot',
    ...unitEnvironmentLines(env),
    `ExecStart=${command}`,
    'Nice=10',
    'IOSchedulingClass=idle',
    '',
    `# syncer-${name}.timer`,
    '[Unit]',
    `Description=Timer of syncer run ${unitValue(name)}`,
    '',
    '[Timer]',
    `OnCalendar=${unitValue(schedule)}`,
    'Persistent=true',
    'RandomizedDelaySec=5m',
    '',
    '[Install]',
    'WantedBy=timers.target',
    '',
  ].join('\n');
}
