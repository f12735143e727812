import { resolve } from 'node:path';
import { BACKENDS } from '../../backends/index.ts';
import { parseRemoteSpec } from '../../config/remote-spec.ts';
import { SyncerError, toSyncerError } from '../../core/errors.ts';
import { decidesAboutFiles, namesLocalPath } from '../../core/flags.ts';
import { userText } from '../../core/name-bytes.ts';
import { counted } from '../../core/shown-text.ts';
import { backendFlags, optionDecides } from '../../shell/command-line/backend-flags.ts';
import type { CommandSummary, Invocation } from '../../shell/command-line/command.ts';
import { profileWords } from '../../shell/command-line/flag-presets.ts';
import { type FlagSet, flagSetOf } from '../../shell/command-line/flag-set.ts';
import {
  type CommandToken,
  type FlagToken,
  flagWord,
  readTokens,
} from '../../shell/command-line/read-tokens.ts';
import { logText } from '../../shell/log/log-text.ts';
import { refuseSecrets, shownText, shownWords } from '../../shell/log/shown-words.ts';
import { absoluteWords } from '../../shell/unit/unit-words.ts';
import { followLinks, replaceFile } from '../../state/replace-file.ts';
import { readWhole } from '../../system/read-whole.ts';
import { shellLine } from '../../system/shell-words.ts';
import { canPlan } from '../history/run-text.ts';
import type { PlanChoice } from './plan-approval.ts';
import { formatPlan, parsePlan, type SavedPlan } from './saved-plan.ts';

/** A plan of a million changes takes about 250 MB. */
const MOST_BYTES = 1024 ** 3;

/** `--save`: how a plan goes to `path`, `-` for standard output. Rejects with `usage` for a command that cannot be saved. */
export async function openSave(invocation: Invocation, title: string, path: string) {
  const { out, shownWords, context } = invocation;
  const { argv, env, commands } = invocation;
  const setOf = flagSets(commands);
  // A plan must not name a profile.
  const profile = await profileWords(argv, env, setOf(title));
  const { words, left } = planWords(shownWords, profile, setOf(title), setOf, process.cwd());
  return async (choice: Required<PlanChoice>): Promise<void> => {
    const savedMs = context.clock.now();
    const text = formatPlan({ words, dir: process.cwd(), savedMs, ...choice });
    if (path === '-') return out.write(text);
    try {
      await replaceFile(await followLinks(path), text);
    } catch (cause) {
      throw fileError(`cannot save the plan to ${path}`, path, cause);
    }
    const what = `Saved ${counted(choice.chosen.size, 'change')}. Apply with: ${shellLine(['apply', path, ...left])}`;
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
  { commands, env }: Pick<Invocation, 'commands' | 'env'>,
): Promise<string[]> {
  const setOf = flagSets(commands);
  const file = path === '-' ? '/dev/stdin' : resolve(path);
  const plan = await readPlan(file);
  known.set(file, plan);
  const words = checkedWords(plan.words, flags, path, setOf);
  const ofProfile = await profileWords(flags, env, setOf(words[0]), true);
  return [...words, ...ofProfile, `--apply=${file}`, ...flags];
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

/** Flags about how a plan is made and applied. */
const ABOUT_PLANS: readonly string[] = ['dry-run', 'interactive', 'review', 'save', 'apply'];

/** Flags that lift a limit, which the user may type. */
const PERMISSIONS: readonly string[] = ['bisync-force', 'allow-deletes', 'allow-bucket-deletes'];

/**
 * Whether a plan may hold a flag: only those that decide about files. It must neither lift limits nor name local files,
 * whose lines would be sent to its servers, one by one.
 */
function isOfPlan({ flag: { key, definition }, value }: FlagToken): boolean {
  const isSafe = !PERMISSIONS.includes(key) && !namesLocalPath(definition);
  return isSafe && decidesAboutFiles(definition, value);
}

/** The flags of a command, with those of backends. */
type FlagSets = (command: string | undefined) => FlagSet;

const flagSets =
  (commands: readonly CommandSummary[]): FlagSets =>
  (command) =>
    flagSetOf(commands, command, backendFlags());

/** Whether the user may give it to `syncer apply` for the plan. */
function isTypable({ flag: { name, key } }: FlagToken, setOf: FlagSets): boolean {
  return !ABOUT_PLANS.includes(key) && setOf('apply').byName.has(name);
}

/**
 * Splits a command line into the words of a plan of it and the other flags, for `syncer apply`. Throws `usage` for a path that a plan must not
 * have, and for a secret in the plan.
 *
 * @param argv the words without secrets
 * @param profile the flags that the given profile sets, as words
 * @param set the flags of the command
 */
function planWords(
  argv: readonly string[],
  profile: readonly string[],
  set: FlagSet,
  setOf: FlagSets,
  folder: string,
) {
  const words = absoluteWords([...profile, ...argv], set, folder, { keeps: isOfPlan });
  refuseSecrets(words, "can't save a plan of a command line with a secret in it");
  refusePlaces(tokensOf(words, setOf).slice(1), "can't save");
  const left = [...readTokens(argv, set)].filter(
    (token) => token.kind === 'flag' && !isOfPlan(token) && isTypable(token, setOf),
  );
  return { words, left: left.map((token) => flagWord(token as FlagToken)) };
}

/**
 * The words of a plan that another person may have written, as words that more flags can follow. A flag that a plan must not
 * hold is left out if it is among `typed`, the flags that the user has typed, as words.
 *
 * @param path names the plan in errors
 * @throws SyncerError `usage` for any other flag that a plan must not hold, and for places with such options
 */
function checkedWords(
  words: readonly string[],
  typed: readonly string[],
  path: string,
  setOf: FlagSets,
): readonly string[] {
  const own = new Set(typed.map((word) => word.replace(/=.*/s, '')));
  let tokens: readonly CommandToken[];
  try {
    tokens = tokensOf(words, setOf);
  } catch (cause) {
    throw new SyncerError('usage', `${path}: ${toSyncerError(cause).message}`, { cause });
  }
  const args = tokens.flatMap((token) => (token.kind === 'arg' ? [token.text] : []));
  const dashed = args.find((arg) => arg.startsWith('-'));
  if (dashed !== undefined) throw new SyncerError('usage', `${path}: "${dashed}" is no path`);
  const flags = tokens.filter((token) => token.kind === 'flag');
  for (const token of flags) {
    const name = `--${token.flag.name}`;
    if (isOfPlan(token) || (own.has(name) && isTypable(token, setOf))) continue;
    const [shown] = shownWords([flagWord(token)]);
    throw new SyncerError('usage', `${path}: a plan must not hold ${shown}`, {
      advice: isTypable(token, setOf)
        ? `if you want it, type ${name} yourself, as a flag of syncer apply`
        : 'delete it from "command"',
    });
  }
  const kept = flags.filter(isOfPlan);
  refusePlaces(tokens.slice(1), path);
  return [...args, ...kept.map(flagWord)];
}

/**
 * Throws `usage` if a path of a plan sets flags, secrets or the addresses of servers, or reads files.
 *
 * @param path names the plan, or says what cannot be done, in errors
 */
function refusePlaces(tokens: readonly CommandToken[], path: string): void {
  for (const token of tokens) {
    const isPlace = token.kind === 'arg' || token.flag.definition.placeholder === 'remote:path';
    const place = token.kind === 'arg' ? token.text : token.value;
    const option =
      isPlace && place !== undefined && place !== '' ? foreignOption(place) : undefined;
    if (option === undefined) continue;
    throw new SyncerError(
      'usage',
      `${path}: a plan must not set ${option}, as in "${shownText(place ?? '')}"`,
      {
        advice: 'set it in the configuration, as a remote with a name',
      },
    );
  }
}

/** The first option in a path that a plan must not set. */
function foreignOption(place: string): string | undefined {
  const options = BACKENDS.flatMap((backend) => backend.options);
  for (const [key, value] of parseRemoteSpec(place).overrides) {
    const plain = key.toLowerCase();
    if (/^(global|override)\./.test(plain)) return key;
    if (plain === 'remote') {
      const inner = value === '' ? undefined : foreignOption(value);
      if (inner !== undefined) return inner;
      continue;
    }
    const known = options.filter((option) => option.name === plain);
    // An option of a type that rclone opens may start a program.
    if (known.length === 0 || known.some((option) => !optionDecides(option, value))) return key;
  }
  return undefined;
}

function tokensOf(words: readonly string[], setOf: FlagSets): readonly CommandToken[] {
  return [...readTokens(words, setOf(words[0]))];
}
