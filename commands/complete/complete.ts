import type { Invocation } from '../../src/shell/command-line/command.ts';
import { readTypedWords } from './typed-words.ts';
import { type Candidate, matching, type Wanted, wantedAt } from './wanted-at.ts';

/** How long the user waits after a key, in milliseconds. */
const PATIENCE_MS = 2_500;

/**
 * The possible continuations of a command line after `words`, which lack the program. Asks nothing and prints nothing;
 * a remote that does not respond in time has no completions.
 */
export async function completeWords(
  words: readonly string[],
  typed: string,
  { commands, ...invocation }: Invocation,
): Promise<readonly Candidate[]> {
  const jobLine = words[0] === 'job' ? words.indexOf('--') : -1;
  if (jobLine > 0) {
    return completeWords(words.slice(jobLine + 1), typed, { commands, ...invocation });
  }
  const before = readTypedWords(words, commands);
  const wanted = wantedAt(before, typed, commands, await backendFlagsFor(typed, invocation));
  if (wanted.kind === 'words') return printable(matching(wanted.words, typed));
  const config = before.values.get('config') ?? invocation.flags.config;
  const found = await timed(async (signal) => look(wanted, typed, config, invocation, signal));
  return printable(matching(found, typed));
}

async function backendFlagsFor(typed: string, { flags, env }: Omit<Invocation, 'commands'>) {
  if (!/^--[^=]{2}/.test(typed)) return [];
  const [{ backendFlags }, { flagsByTyped }, { rcloneToAsk }] = await Promise.all([
    import('../../src/shell/command-line/backend-flags.ts'),
    import('../../src/shell/command-line/rclone-flags.ts'),
    import('../../src/backends/rclone/index.ts'),
  ]);
  const asked = rcloneToAsk({ flags, env });
  return [...backendFlags(), ...(await flagsByTyped(typed.slice(2), asked))];
}

async function look(
  wanted: Exclude<Wanted, { kind: 'words' }>,
  typed: string,
  config: string | undefined,
  { flags, env, context }: Omit<Invocation, 'commands'>,
  signal: AbortSignal,
): Promise<readonly Candidate[]> {
  const { lookUp, surroundings } = await import('./look-up.ts');
  const silent = { ...context, signal, emit: () => {} };
  return lookUp(wanted, typed, await surroundings({ ...flags, config }, env, silent));
}

async function timed(
  work: (signal: AbortSignal) => Promise<readonly Candidate[]>,
): Promise<readonly Candidate[]> {
  const end = new AbortController();
  const late = Promise.withResolvers<readonly Candidate[]>();
  const timer = setTimeout(() => {
    end.abort();
    // A remote that ignores the signal is not waited for.
    setTimeout(() => late.resolve([]), 100);
  }, PATIENCE_MS);
  try {
    return await Promise.race([work(end.signal).catch(() => []), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Without names that would break the lines of the output. */
function printable(candidates: readonly Candidate[]): readonly Candidate[] {
  return candidates.filter(({ text }) => !/[\0-\x1f\x7f]/.test(text));
}
