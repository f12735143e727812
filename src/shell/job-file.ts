import { dirname, join } from 'node:path';
import { configPath } from '../config/config-path.ts';
import { withFileLock } from '../config/file-lock.ts';
import { formatJobs, type Job, parseJobs } from '../config/job.ts';
import { SyncerError } from '../core/errors.ts';
import { userText } from '../core/name-bytes.ts';
import { replaceFile } from '../state/replace-file.ts';
import { makeFolder } from '../system/make-folder.ts';
import { readRegularFile } from '../system/read-whole.ts';
import type { Flags } from './flags/flag-table.ts';

/** The file of the jobs, beside the configuration; `undefined` where that is in memory only. */
function jobsPath(flags: Flags, env: NodeJS.ProcessEnv): string | undefined {
  const config = configPath(flags.config, env);
  return config && join(dirname(config), 'jobs.json');
}

/** All jobs, by name. Rejects with `config` if their file is damaged or unreadable. */
export async function readJobs(flags: Flags, env: NodeJS.ProcessEnv): Promise<readonly Job[]> {
  const path = jobsPath(flags, env);
  return path === undefined ? [] : readJobsAt(path);
}

/** The job of that name. Rejects with `usage` if there is none. */
export async function findJob(name: string, flags: Flags, env: NodeJS.ProcessEnv): Promise<Job> {
  const jobs = await readJobs(flags, env);
  const job = jobs.find((one) => one.name === name);
  if (job !== undefined) return job;
  const names = jobs.map((one) => one.name).join(', ');
  const hint = names === '' ? 'save one with syncer job NAME -- COMMAND' : `there are: ${names}`;
  throw new SyncerError('usage', `there is no job "${name}"`, { advice: hint });
}

/** Replaces the jobs atomically by what `change` makes of them. */
export async function changeJobs(
  flags: Flags,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
  change: (jobs: readonly Job[]) => readonly Job[],
): Promise<void> {
  const path = jobsPath(flags, env);
  if (path === undefined) {
    throw new SyncerError('config', 'jobs need a configuration file: set HOME or --config');
  }
  try {
    await makeFolder(dirname(path), 0o700);
    await withFileLock(
      path,
      async (stillHeld) => {
        const text = formatJobs(change(await readJobsAt(path)));
        if (await replaceFile(path, text, { mayReplace: stillHeld })) return;
        throw new SyncerError('locked', `another process has changed ${path}: try again`);
      },
      signal,
    );
  } catch (thrown) {
    if (thrown instanceof SyncerError || signal.aborted) throw thrown;
    throw jobsError('write', path, thrown);
  }
}

async function readJobsAt(path: string): Promise<readonly Job[]> {
  const text = await readRegularFile(path)
    .then((content) => userText(content))
    .catch((thrown) => {
      if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return '';
      throw jobsError('read', path, thrown);
    });
  return parseJobs(text, path);
}

function jobsError(what: 'read' | 'write', path: string, cause: unknown): SyncerError {
  const { message } = cause as Error;
  return new SyncerError('config', `cannot ${what} the jobs: ${message}`, { path, cause });
}
