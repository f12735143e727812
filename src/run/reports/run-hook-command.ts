import { spawn } from 'node:child_process';
import { environmentVariables } from '../../shell/command-line/flag-value.ts';
import { REPORT_FLAGS } from '../../shell/flags/report-flags.ts';
import { exactCommand } from '../../system/exact-command.ts';
import type { ReportRecord } from './report-record.ts';

/** How long a command may run, in milliseconds; then its process group is killed. */
const MOST_MS = 60_000;

/**
 * Runs a command of the user with the shell: the report is its standard input, and its output goes to standard error.
 * Resolves to what went wrong, `undefined` if nothing did. Never rejects.
 */
export async function runHookCommand(
  command: string,
  report: string,
  record: ReportRecord,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const start = exactCommand({
    file: '/bin/sh',
    args: ['-c', command],
    env: { ...withoutReports(env), ...variablesOf(record) },
  });
  const child = spawn(start.file, start.args, {
    env: start.env,
    stdio: ['pipe', 2, 2],
    // A process group of its own: a Ctrl-C for syncer is not for it, and all of it can be ended.
    detached: true,
  });
  // A command that does not read its input is fine.
  child.stdin?.on('error', () => {});
  child.stdin?.end(report);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    endGroup(child.pid);
  }, MOST_MS);
  const ended = await new Promise<string | undefined>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('exit', (code, signal) =>
      resolve(code === 0 ? undefined : `it ended with ${signal ?? `exit code ${code}`}`),
    );
  });
  clearTimeout(timer);
  return isLate ? `it was ended after ${MOST_MS / 1000} seconds` : ended;
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/** What a command gets of the run; no flag of syncer has such a name. */
export function variablesOf(record: ReportRecord): Record<string, string> {
  const { run, exit, result, command, counts, bytes, error } = record;
  return {
    SYNCER_RUN_ID: run,
    SYNCER_RUN_EXIT: `${exit}`,
    SYNCER_RUN_RESULT: result,
    SYNCER_RUN_COMMAND: command[0] ?? '',
    SYNCER_RUN_COPIED: `${counts.copied + counts.replaced + counts.moved}`,
    SYNCER_RUN_DELETED: `${counts.deleted}`,
    SYNCER_RUN_ERRORS: `${counts.errors}`,
    SYNCER_RUN_BYTES: `${bytes.transferred}`,
    SYNCER_RUN_ERROR: error?.message ?? '',
  };
}

/** Without the variables of these flags: a command that runs syncer would run itself. */
function withoutReports(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names = Object.entries(REPORT_FLAGS).flatMap(([key, definition]) =>
    environmentVariables({ key, name: key, definition }),
  );
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)));
}
