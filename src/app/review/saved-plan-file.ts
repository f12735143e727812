import { resolve } from 'node:path';
import { SyncerError } from '../../core/errors.ts';
import { userText } from '../../core/user-text.ts';
import type { Keep } from '../../engine/change-guard.ts';
import { readWhole } from '../../files/read-whole.ts';
import { shellLine } from '../../home/home-actions.ts';
import { canPlan } from '../../home/past-run.ts';
import { counted } from '../../kit/counted.ts';
import type { Plan } from '../../review/plan-guard.ts';
import type { PlannedChange } from '../../review/planned-change.ts';
import { formatPlan, parsePlan, type SavedPlan } from '../../review/saved-plan.ts';
import { followLinks, replaceFile } from '../../state/replace-file.ts';
import type { Invocation } from '../command.ts';
import { backendFlags } from '../command-line/backend-flags.ts';
import { flagSetOf } from '../command-line/flag-set.ts';
import { profileWords, strongProfileWords } from '../command-line/profile-words.ts';
import { logText } from '../log/log-text.ts';
import { checkedWords, planWords } from './plan-words.ts';

/** A plan of a million changes takes about 250 MB. */
const MOST_BYTES = 1024 ** 3;

/** Saves a plan and what was chosen of it. */
type Save = (
  plan: Plan,
  chosen: ReadonlySet<PlannedChange>,
  keeps?: ReadonlyMap<PlannedChange, Keep>,
) => Promise<void>;

/** `--save`: how a plan goes to `path`, `-` for standard output. Rejects with `usage` for a command that cannot be saved. */
export async function openSave(invocation: Invocation, title: string, path: string): Promise<Save> {
  const { out, shownWords, context } = invocation;
  const { argv, env } = invocation;
  // A plan must not name a profile.
  const profile = await profileWords(argv, env, flagSetOf(title, backendFlags()));
  const { words, left } = planWords(shownWords, profile, title, process.cwd());
  return async (plan, chosen, keeps = new Map()) => {
    const savedMs = context.clock.now();
    const text = formatPlan({ words, dir: process.cwd(), savedMs, plan, chosen, keeps });
    if (path === '-') return out.write(text);
    try {
      await replaceFile(await followLinks(path), text);
    } catch (cause) {
      throw fileError(`cannot save the plan to ${path}`, path, cause);
    }
    const what = `Saved ${counted(chosen.size, 'change')}. Apply with: ${shellLine(['apply', path, ...left])}`;
    context.emit(logText('notice', what));
  };
}

/** Plans that were read for their command line: a pipe can be read once. */
const known = new Map<string, SavedPlan>();

/**
 * `syncer apply`: the words of the command that applies the plan in a file, `-` for standard input. The given flags win
 * over those in the plan. Rejects with `usage` for a plan with other flags than those that decide about files.
 */
export async function applyWords(
  path: string,
  flags: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<string[]> {
  const file = path === '-' ? '/dev/stdin' : resolve(path);
  const plan = await readPlan(file);
  known.set(file, plan);
  const words = checkedWords(plan.words, flags, path);
  const set = flagSetOf(words[0], backendFlags());
  return [...words, ...(await strongProfileWords(flags, env, set)), `--apply=${file}`, ...flags];
}

/** Reads a saved plan. Rejects with `usage`. */
export async function readPlan(path: string): Promise<SavedPlan> {
  const plan = known.get(path);
  if (plan !== undefined) {
    known.delete(path);
    return plan;
  }
  const text = await readWhole(path, { mostBytes: MOST_BYTES })
    .then((content) => userText(content))
    .catch((cause) => {
      throw fileError(`cannot read the plan ${path}`, path, cause);
    });
  const saved = parsePlan(text, path);
  if (canPlan({ words: saved.words.slice(0, 1) })) return saved;
  throw new SyncerError('usage', `${path} is not a plan: its command has none`);
}

function fileError(what: string, path: string, cause: unknown): SyncerError {
  const { code, message } = cause as NodeJS.ErrnoException;
  return new SyncerError('usage', `${what}: ${code === 'ENOENT' ? 'no such file' : message}`, {
    path,
    cause,
  });
}
