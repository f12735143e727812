import { SyncerError } from '../core/errors.ts';
import { isJsonObject } from '../core/json-object.ts';
import { counted } from '../core/shown-text.ts';
import type { PastRun } from '../state/runs.ts';

/** A command line with a name: `syncer run NAME` runs it. */
export interface Job {
  readonly name: string;
  /** The words after the program's name; local paths are absolute. They hold no secrets. */
  readonly words: readonly string[];
}

/** Commands that a job can run. */
export const JOB_COMMANDS = [
  'copy',
  'sync',
  'move',
  'copyto',
  'moveto',
  'check',
  'delete',
  'cleanup',
] as const;

const NAME = /^\w[\w.-]{0,99}$/;

/** Throws `usage` for a name that units, files and shells could not hold. */
export function refuseJobName(name: string): void {
  if (NAME.test(name)) return;
  const text = `"${name}" can't be the name of a job: use letters, digits and _ . -, and begin with a letter, a digit or _`;
  throw new SyncerError('usage', text);
}

/** Jobs as the text of their file. */
export function formatJobs(jobs: readonly Job[]): string {
  const sorted = jobs.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const records = Object.fromEntries(sorted.map(({ name, words }) => [name, { command: words }]));
  return `${JSON.stringify(records, undefined, 2)}\n`;
}

/** Reads what `formatJobs` writes; an empty text holds none. Throws `config` for anything else; `path` names the file. */
export function parseJobs(text: string, path: string): readonly Job[] {
  if (text.trim() === '') return [];
  const broken = (why: string) => new SyncerError('config', why, { path });
  let records: unknown;
  try {
    records = JSON.parse(text);
  } catch {
    throw broken(`${path} is not JSON`);
  }
  if (!isJsonObject(records)) {
    throw broken(`${path} is not an object of jobs`);
  }
  return Object.entries(records).map(([name, record]) => {
    const words = (record as { command?: unknown } | null)?.command;
    if (!Array.isArray(words) || !words.every((word) => typeof word === 'string')) {
      throw broken(`the job "${name}" in ${path} has no list "command"`);
    }
    if (!NAME.test(name) || !JOB_COMMANDS.some((command) => command === words[0])) {
      const forms = `a name, and a command that begins with ${JOB_COMMANDS.join(', ')}`;
      throw broken(`the job "${name}" in ${path} is no job: it needs ${forms}`);
    }
    return { name, words };
  });
}

/** The runs of a job, without dry ones: those of its words, with more flags after or, in old versions, before. */
export function runsOfJob(
  { words }: Pick<Job, 'words'>,
  runs: readonly PastRun[],
): readonly PastRun[] {
  return runs.filter((run) => {
    const more = run.words.slice(words.length);
    const isAt = (from: number) => words.every((word, at) => run.words[from + at] === word);
    if (run.isTrial || run.words.length < words.length) return false;
    return isAt(more.length) || (isAt(0) && !more.some((word) => /^(-n|--dry-run)$/.test(word)));
  });
}

/** The jobs with a path on the remote `name`, in a sentence; `''` if there are none. */
export function jobsUsing(jobs: readonly Job[], name: string): string {
  const used = jobs.filter(({ words }) =>
    words.some((word) => /^([^:,]+)[:,]/.exec(word)?.[1] === name),
  );
  if (used.length === 0) return '';
  const verb = used.length === 1 ? 'uses' : 'use';
  return `${counted(used.length, 'job')} ${verb} ${name}: ${used.map((job) => job.name).join(', ')}.`;
}
