import { type Job, refuseJobName, runsOfJob } from '../../src/config/job.ts';
import { SyncerError } from '../../src/core/errors.ts';
import { alignedRows } from '../../src/core/shown-text.ts';
import { mayChange } from '../../src/engine/consent.ts';
import { lastRuns } from '../../src/run/history/list-history.ts';
import { runEnd, runSum } from '../../src/run/history/run-text.ts';
import type {
  CommandCall,
  Environment,
  Program,
  StandardOutput,
  UnderConsent,
} from '../../src/shell/command-line/command.ts';
import { changeJobs, findJob, readJobs } from '../../src/shell/job-file.ts';
import { logText } from '../../src/shell/log/log-text.ts';
import { shownWords } from '../../src/shell/log/shown-words.ts';
import { windowColumns } from '../../src/shell/output/output.ts';
import { ownCommand, passedFlags } from '../../src/shell/process/own-command-line.ts';
import {
  leftOutText,
  unitEnvironment,
  unitEnvironmentLines,
  unitValue,
  unitWord,
} from '../../src/shell/unit/unit-words.ts';
import { shellLine } from '../../src/system/shell-words.ts';
import { ago } from '../../src/terminal/time-texts.ts';
import type { JOB_FLAGS } from './command.ts';
import { jobWords } from './job-words.ts';

type JobNeeds = CommandCall<typeof JOB_FLAGS> &
  Program &
  Environment &
  StandardOutput &
  UnderConsent;

export async function jobCommand(invocation: JobNeeds): Promise<void> {
  const { args, flags, env, context, stores, out } = invocation;
  const [name, ...words] = args;
  if (name === undefined) return listJobs(invocation);
  if (words.length > 0) return saveJob(invocation, name, words);
  const job = await findJob(name, flags, env);
  if (flags['delete-job']) {
    const change = { do: 'other', words: 'delete the job', about: job.name } as const;
    if (!(await mayChange(invocation, change))) return;
    await changeJobs(flags, env, context.signal, (jobs) =>
      jobs.filter((one) => one.name !== job.name),
    );
    return out.write(`Deleted "${job.name}".\n`);
  }
  if (flags['print-unit']) return printUnits(invocation, job);
  const shown = shownWords(job.words);
  await out.write(`${shellLine(shown)}\n`);
  const now = context.clock.now();
  for (const run of runsOfJob({ words: shown }, await lastRuns(stores)).slice(0, 10)) {
    await out.write(`${ago(now - run.endedMs)}: ${runEnd(run)}, ${runSum(run)}\n`);
  }
}

async function saveJob(invocation: JobNeeds, name: string, argv: readonly string[]) {
  const { flags, env, context, out } = invocation;
  refuseJobName(name);
  const words = await jobWords(invocation, argv);
  if (!(await mayChange(invocation, { do: 'other', words: 'save the job', about: name }))) return;
  await changeJobs(flags, env, context.signal, (jobs) => {
    if (jobs.some((job) => job.name === name) && !flags['replace-job']) {
      throw new SyncerError('usage', `there is a job "${name}" already; --replace replaces it`);
    }
    return [...jobs.filter((job) => job.name !== name), { name, words }];
  });
  await out.write(`Saved "${name}": ${shellLine(shownWords(words))}\n`);
}

async function listJobs(invocation: CommandCall<typeof JOB_FLAGS> & Environment & StandardOutput) {
  const { flags, env, stores, context, out } = invocation;
  const jobs = await readJobs(flags, env);
  const runs = await lastRuns(stores);
  const now = context.clock.now();
  const rows = jobs.map((job) => {
    const words = shownWords(job.words);
    const [last] = runsOfJob({ words }, runs);
    const result = last === undefined ? 'never run' : `${runEnd(last)} ${ago(now - last.endedMs)}`;
    return [job.name, result, shellLine(words)];
  });
  for (const line of alignedRows(rows, windowColumns(out))) await out.write(`${line}\n`);
}

async function printUnits({ commands, flags, env, context, out }: JobNeeds, { name, words }: Job) {
  const { backendFlags } = await import('../../src/shell/command-line/backend-flags.ts');
  const { flagSetOf } = await import('../../src/shell/command-line/flag-set.ts');
  const known = flagSetOf(commands, words[0], backendFlags());
  const { env: kept, leftOut } = unitEnvironment(env, known, process.cwd());
  const secrets = leftOutText('service', leftOut);
  if (secrets !== undefined) context.emit(logText('notice', secrets));
  const watches = words.some((word) => word === '--watch' || word === '--watch=true');
  if (watches && flags.schedule !== undefined) {
    throw new SyncerError('usage', '--schedule: this job watches its source, and needs no timer');
  }
  const schedule = watches ? undefined : (flags.schedule ?? 'daily');
  if (/[\0-\x1f\x7f]/.test(schedule ?? '')) {
    throw new SyncerError('usage', '--schedule is one line: a calendar event of systemd.time(7)');
  }
  const parts = { name, program: ownCommand(), flags: passedFlags(flags), env: kept, schedule };
  await out.write(jobUnitText(parts));
}

/**
 * A service that runs a job once, and the timer that starts it: two files in one text, each below its name. A job that
 * watches is a service that goes on; it is started again after a crash or without a connection, but not after an error
 * that a person must see. `program`: the executable and the words before its arguments; `flags`: those that say where the
 * configuration is; `schedule`: a calendar event of systemd.time(7), absent for a job that watches.
 */
export function jobUnitText({
  name,
  program,
  flags,
  env,
  schedule,
}: Readonly<Record<'program' | 'flags', readonly string[]>> & {
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  readonly schedule: string | undefined;
}): string {
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
      : [
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
        ]),
  ].join('\n');
}
