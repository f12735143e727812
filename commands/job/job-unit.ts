import { unitEnvironmentLines, unitValue, unitWord } from '../../src/shell/unit/systemd-text.ts';

/** What the units of a job are made of. */
export interface JobUnitParts {
  readonly name: string;
  /** How the program is started: the executable and the words before its arguments. */
  readonly program: readonly string[];
  /** Flags that say where the configuration is. */
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** When it runs: a calendar event of systemd.time(7), such as `daily`; absent for a job that watches. */
  readonly schedule: string | undefined;
}

/**
 * A service that runs a job once, and the timer that starts it: two files in one text, each below its name. A job that
 * watches is a service that goes on; it is started again after a crash or without a connection, but not after an error
 * that a person must see.
 */
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
    ...(schedule === undefined
      ? [
          'Type=exec',
          'Restart=on-abnormal',
          // The server may not be there yet when the machine starts.
          'RestartForceExitStatus=5',
          'RestartSec=30',
          'SuccessExitStatus=143',
        ]
      : ['Type=oneshot']),
    ...unitEnvironmentLines(env),
    `ExecStart=${command}`,
    'Nice=10',
    'IOSchedulingClass=idle',
    '',
    ...(schedule === undefined
      ? ['[Install]', 'WantedBy=default.target', '']
      : timerLines(name, schedule)),
  ].join('\n');
}

function timerLines(name: string, schedule: string): readonly string[] {
  return [
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
  ];
}
