import { JOB_COMMANDS, type Job } from '../../src/config/job.ts';
import { SyncerError, toSyncerError } from '../../src/core/errors.ts';
import { backendFlags } from '../../src/shell/command-line/backend-flags.ts';
import type { CommandLookup, CommandSummary } from '../../src/shell/command-line/command.ts';
import { profileWords } from '../../src/shell/command-line/flag-presets.ts';
import { flagSetOf } from '../../src/shell/command-line/flag-set.ts';
import { readCommandLine, wrongArguments } from '../../src/shell/command-line/read-command-line.ts';
import {
  type FlagToken,
  flagWord,
  readTokens,
  withFlags,
} from '../../src/shell/command-line/read-tokens.ts';
import { PRIVATE_FLAGS, refuseSecrets, shownWords } from '../../src/shell/log/shown-words.ts';
import { absoluteWords } from '../../src/shell/unit/unit-words.ts';

/**
 * The words of a job, from those of a command line: the command first, and local paths absolute. Rejects with `usage` for what is no
 * command line, cannot be a job, or holds a secret.
 */
export async function jobWords(
  { commands, env }: CommandLookup,
  argv: readonly string[],
): Promise<readonly string[]> {
  const line = await readCommandLine(commands, { argv, env });
  const command = commands.find(({ name }) => name === line.command);
  if (command === undefined || !JOB_COMMANDS.some((name) => name === command.name)) {
    throw new SyncerError('usage', `a job runs one of ${JOB_COMMANDS.join(', ')}`);
  }
  const complaint = wrongArguments(command, line.args);
  if (complaint !== undefined) throw new SyncerError('usage', complaint);
  const set = flagSetOf(commands, command.name, backendFlags());
  // The file of jobs is the user's alone.
  const keeps = ({ flag }: FlagToken) => !PRIVATE_FLAGS.includes(`--${flag.name}`);
  const checked = absoluteWords(argv, set, process.cwd(), { keeps });
  refuseSecrets(shownWords(checked), "a job can't hold a secret");
  return absoluteWords(argv, set, process.cwd());
}

/**
 * The words that run a job with the flags that the user has given, and those of a profile that he names, which win; with
 * `checks` those that compare its paths instead. Rejects with `usage` for words that cannot be read.
 */
export async function runWords(
  job: Job,
  typed: readonly string[],
  { commands, env }: CommandLookup,
  checks: boolean,
): Promise<readonly string[]> {
  const words = checks ? checkWords(job, commands) : job.words;
  const set = flagSetOf(commands, checks ? 'check' : job.words[0], backendFlags());
  const more = [...(await profileWords(typed, env, set, true)), ...typed];
  const flags = checks ? more.filter((word) => !/^--check(=|$)/.test(word)) : more;
  // Guards that the user gives take back `--allow-deletes` of the job.
  const takesBack =
    more.some((word) => word.startsWith('--guard=')) &&
    words.some((word) => /^--allow-deletes(=|$)/.test(word));
  try {
    return withFlags(words, [...(takesBack ? ['--allow-deletes=0'] : []), ...flags], set);
  } catch (thrown) {
    const { message } = toSyncerError(thrown);
    throw new SyncerError('usage', `the job "${job.name}": ${message}`, { cause: thrown });
  }
}

/** The words that compare the paths of a job instead of running it. Throws `usage` for one without two paths. */
export function checkWords(
  { name, words }: Job,
  commands: readonly CommandSummary[],
): readonly string[] {
  const [of = ''] = words;
  const known = flagSetOf(commands, 'check', backendFlags()).byName;
  const tokens = [...readTokens(words, flagSetOf(commands, of, backendFlags()))];
  const paths = tokens.flatMap((token) => (token.kind === 'arg' ? [token.text] : [])).slice(1);
  const [source, dest] = paths;
  if (source === undefined || dest === undefined) {
    throw new SyncerError('usage', `the job "${name}" has no two paths to compare`);
  }
  const flags = tokens.flatMap((token) => {
    if (token.kind === 'arg' || !known.has(token.flag.name)) return [];
    return [flagWord(token)];
  });
  const oneWay = of === 'sync' || of === 'check' ? [] : ['--one-way'];
  return [...new Set([...flags, ...oneWay]), 'check', source, dest];
}
