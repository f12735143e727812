import { resolve } from 'node:path';
import { BACKENDS } from '../../backends/index.ts';
import { parseRemoteSpec } from '../../config/remote-spec.ts';
import { defined } from '../../core/defined.ts';
import { SyncerError, toSyncerError } from '../../core/errors.ts';
import { decidesAboutFiles, namesLocalPath } from '../../core/flags.ts';
import { jsonObject } from '../../core/json-object.ts';
import { formatRfc3339NanoUtc, parseRfc3339 } from '../../core/mod-time.ts';
import { userText } from '../../core/name-bytes.ts';
import type { Print } from '../../core/same-content.ts';
import { counted } from '../../core/shown-text.ts';
import type { Keep } from '../../engine/consent.ts';
import { backendFlags, optionDecides } from '../../shell/command-line/backend-flags.ts';
import type {
  CommandCall,
  CommandLookup,
  CommandSummary,
  Environment,
  Program,
  StandardOutput,
} from '../../shell/command-line/command.ts';
import { profileWords } from '../../shell/command-line/flag-presets.ts';
import { flagSetOf } from '../../shell/command-line/flag-set.ts';
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
import { byPath, type PlanChoice } from './plan-consent.ts';
import { CHANGE_KINDS, changeKey, type PlannedChange } from './planned-change.ts';

/** A plan in a file, to be read by people and applied later. */
export interface SavedPlan extends Required<PlanChoice> {
  /** The words after the program's name, without the flags of the review. They hold no secrets. */
  readonly words: readonly string[];
  /** The working directory, for relative paths among the words. */
  readonly dir: string;
  /** When it was saved, in milliseconds since the epoch. */
  readonly savedMs: number;
}

/**
 * `--save`: how a plan goes to `path`, `-` for standard output. Rejects with `usage` for a path that a plan must not have,
 * and for a secret in it.
 */
export async function openSave(
  invocation: CommandCall & Program & Environment & StandardOutput,
  title: string,
  path: string,
) {
  const { out, shownWords, context } = invocation;
  const { argv, env, commands } = invocation;
  const setOf = flagSets(commands);
  const set = setOf(title);
  // A plan must not name a profile.
  const given = [...(await profileWords(argv, env, set)), ...shownWords];
  const words = absoluteWords(given, set, process.cwd(), { keeps: isOfPlan });
  refuseSecrets(words, "can't save a plan of a command line with a secret in it");
  refusePlaces([...readTokens(words, setOf(words[0]))].slice(1), "can't save");
  // The other flags are for `syncer apply`.
  const left = [...readTokens(shownWords, set)].flatMap((token) =>
    token.kind === 'flag' && !isOfPlan(token) && isTypable(token, setOf) ? [flagWord(token)] : [],
  );
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
  { commands, env }: CommandLookup,
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
  // A plan of a million changes takes about 250 MB.
  const text = await readWhole(path, { mostBytes: 1024 ** 3 })
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
  const text = `${what}: ${code === 'ENOENT' ? 'no such file' : message}`;
  return new SyncerError('usage', text, { path, cause });
}

/**
 * Whether a plan may hold a flag: only those that decide about files. It must neither lift limits, as only the user may,
 * nor name local files, whose lines would be sent to its servers, one by one.
 */
function isOfPlan({ flag: { key, definition }, value }: FlagToken): boolean {
  if (['bisync-force', 'allow-deletes', 'allow-bucket-deletes'].includes(key)) return false;
  return !namesLocalPath(definition) && decidesAboutFiles(definition, value);
}

const flagSets = (commands: readonly CommandSummary[]) => (command: string | undefined) =>
  flagSetOf(commands, command, backendFlags());

type FlagSets = ReturnType<typeof flagSets>;

/** Whether the user may give it to `syncer apply` for the plan. */
function isTypable({ flag: { name, key } }: FlagToken, setOf: FlagSets): boolean {
  const isAboutPlans = ['dry-run', 'interactive', 'review', 'save', 'apply'].includes(key);
  return !isAboutPlans && setOf('apply').byName.has(name);
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
    tokens = [...readTokens(words, setOf(words[0]))];
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

/** Throws `usage` if a path of the plan `path` sets flags, secrets or addresses of servers, or reads files. */
function refusePlaces(tokens: readonly CommandToken[], path: string): void {
  for (const token of tokens) {
    const isPlace = token.kind === 'arg' || token.flag.definition.placeholder === 'remote:path';
    const place = token.kind === 'arg' ? token.text : token.value;
    const option =
      isPlace && place !== undefined && place !== '' ? foreignOption(place) : undefined;
    if (option === undefined) continue;
    const text = `${path}: a plan must not set ${option}, as in "${shownText(place ?? '')}"`;
    const advice = 'set it in the configuration, as a remote with a name';
    throw new SyncerError('usage', text, { advice });
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

const FORMAT = 'syncer plan';
const VERSION = 1;

/** A saved plan as JSON, one change per line, sorted by path, so that two plans can be compared line by line. */
export function formatPlan({ words, dir, savedMs, plan, chosen, keeps }: SavedPlan): string {
  const saved = new Date(savedMs).toISOString();
  const head = { format: FORMAT, version: VERSION, saved, command: words, directory: dir };
  const changes = byPath(plan).map((change) => {
    const { kind, path, from, side, size, reason, source, dest, toPath } = change;
    // In JSON, what is undefined is absent.
    return JSON.stringify({
      kind,
      path,
      from,
      side,
      size: size < 0 ? undefined : size,
      reason,
      source: source && printRecord(source),
      dest: dest && printRecord(dest),
      toPath,
      keep: keeps.get(change),
      excluded: chosen.has(change) ? undefined : true,
    });
  });
  const text = JSON.stringify(head, undefined, 2).replace(/\n\}$/, ',');
  const list = changes.length === 0 ? '[]' : `[\n    ${changes.join(',\n    ')}\n  ]`;
  return `${text}\n  "changes": ${list}\n}\n`;
}

/** Reads what `formatPlan` writes. Throws `usage` for anything else; `path` names the file. */
export function parsePlan(text: string, path: string): SavedPlan {
  const advice = 'save one with --save FILE';
  const fault = (why: string) =>
    new SyncerError('usage', `${path} is not a plan: ${why}`, { advice });
  const root = jsonObject<Record<string, unknown>>(text);
  if (root?.['format'] !== FORMAT) throw fault(`it does not say "format": "${FORMAT}"`);
  if (root['version'] !== VERSION) throw fault('it was saved by another version of syncer');
  const { command, directory, saved, changes } = root;
  const savedMs = Date.parse(String(saved));
  const isWords = Array.isArray(command) && command.every((word) => typeof word === 'string');
  if (!isWords || typeof directory !== 'string' || Number.isNaN(savedMs)) {
    throw fault('its command, directory or time is missing');
  }
  if (!Array.isArray(changes)) throw fault('its changes are missing');
  const plan = new Map<string, PlannedChange>();
  const chosen = new Set<PlannedChange>();
  const keeps = new Map<PlannedChange, Keep>();
  for (const [at, record] of changes.entries()) {
    const read = readChange(record as Record<string, unknown> | null);
    const key = read && changeKey(read.change);
    if (read === undefined || key === undefined || plan.has(key))
      throw fault(`change ${at + 1} is wrong`);
    plan.set(key, read.change);
    if (!read.isExcluded) chosen.add(read.change);
    if (read.keep !== undefined) keeps.set(read.change, read.keep);
  }
  return { words: command, dir: directory, savedMs, plan, chosen, keeps };
}

function printRecord({ size, modTime, etag }: Print): object {
  return { size, modTime: modTime === undefined ? undefined : formatRfc3339NanoUtc(modTime), etag };
}

function readChange(
  record: Record<string, unknown> | null,
): { change: PlannedChange; isExcluded: boolean; keep: Keep | undefined } | undefined {
  const { kind, path, reason, size = -1 } = record ?? {};
  const { from, side, excluded = false, toPath, keep } = record ?? {};
  const texts = [path, reason, from ?? path];
  if (!texts.every((text) => typeof text === 'string') || typeof kind !== 'string') return;
  if (!Object.hasOwn(CHANGE_KINDS, kind) || (side !== undefined && side !== 'source')) return;
  if (!Number.isSafeInteger(size) || typeof excluded !== 'boolean') return;
  if (toPath !== undefined && toPath !== 1 && toPath !== 2) return;
  const isKeep = keep === undefined || keep === 'path1' || keep === 'path2' || keep === 'both';
  if (!isKeep || (keep !== undefined && kind !== 'conflict')) return;
  const [source, dest] = [record?.['source'], record?.['dest']].map(readPrint);
  if (source === null || dest === null) return;
  const change: PlannedChange = {
    kind: kind as PlannedChange['kind'],
    path: path as string,
    size: size as number,
    reason: reason as string,
    isDir: kind === 'make-dir' || kind === 'remove-dir',
    ...defined({ from: from as string | undefined, side, source, dest, toPath }),
  };
  return { change, isExcluded: excluded, keep };
}

/** `undefined` where there is none, `null` where it is wrong. */
function readPrint(record: unknown): Print | null | undefined {
  if (record === undefined) return undefined;
  const { size, modTime: shown, etag } = (record ?? {}) as Record<string, unknown>;
  const modTime = typeof shown === 'string' ? parseRfc3339(shown) : undefined;
  const isRight =
    Number.isSafeInteger(size) &&
    (shown === undefined || modTime !== undefined) &&
    (etag === undefined || typeof etag === 'string');
  if (!isRight) return null;
  return { size: size as number, ...defined({ modTime, etag: etag as string | undefined }) };
}
