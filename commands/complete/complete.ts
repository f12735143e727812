import { abortable } from '../../src/core/context.ts';
import { type FlagDefinition, namesLocalPath } from '../../src/core/flags.ts';
import {
  allUsages,
  argumentCounts,
  type CommandCall,
  type CommandSummary,
  type Environment,
  type Program,
  type StandardOutput,
  usageOf,
} from '../../src/shell/command-line/command.ts';
import { type FlagSet, flagSetOf, type KnownFlag } from '../../src/shell/command-line/flag-set.ts';
import { standsAlone } from '../../src/shell/command-line/read-tokens.ts';

/** The value of `$COMP_TYPE` when bash lists candidates instead of inserting one. */
const LISTING = '63';
/** Longer descriptions are cut, so that most fit on one line. */
const WIDEST = 60;

/**
 * `syncer __complete words word…` for the scripts of `completion`: a line for each candidate, with a tab before its
 * description. `syncer __complete bash type breaks line` takes bash's variables and prints what bash inserts.
 */
export async function completeCommand(
  invocation: CommandCall & Program & Environment & StandardOutput,
): Promise<void> {
  const [form, ...args] = invocation.args;
  let lines: readonly string[];
  if (form === 'bash') {
    const [type = '', breaks = '', line = ''] = args;
    const shell = splitShellLine(line);
    const candidates = await completeWords(shell.words.slice(1), shell.typed, invocation);
    const told = type === LISTING && candidates.length > 1;
    lines = candidates.map(({ text, help }) => {
      const reply = bashReply(text, shell, breaks);
      if (!told || help === undefined) return reply;
      return `${reply}  (${help.length > WIDEST ? `${help.slice(0, WIDEST - 1)}…` : help})`;
    });
  } else {
    // Some versions of PowerShell drop an empty word, others pass its quotes.
    const last = args.at(-1) ?? '';
    const typed = form === 'powershell' && last === '""' ? '' : last;
    const candidates = await completeWords(args.slice(0, -1), typed, invocation);
    lines = candidates.map(({ text, help }) => (help === undefined ? text : `${text}\t${help}`));
  }
  await invocation.out.write(lines.map((line) => `${line}\n`).join(''));
}

/**
 * A command line as bash gives it to a completion: raw, up to the cursor. Nothing in it is expanded, so that nothing
 * is run by pressing a key.
 */
export interface ShellLine {
  /** The words before the last, without their quotes; the program first. */
  readonly words: readonly string[];
  /** The last word, which is being typed, without its quotes; `''` after a blank. */
  readonly typed: string;
  /** The quote that is open in it. */
  readonly quote: '"' | "'" | '';
  /** Places in `typed` right after the characters `:` and `=` outside of quotes. */
  readonly breaks: readonly { readonly char: string; readonly end: number }[];
}

/** Splits a line into words by the rules of the shell. */
export function splitShellLine(line: string): ShellLine {
  const words: string[] = [];
  let word: string | undefined;
  let quote: ShellLine['quote'] = '';
  let breaks: { readonly char: string; readonly end: number }[] = [];
  for (let at = 0; at < line.length; at++) {
    const char = line[at] ?? '';
    if (quote !== '') {
      if (char === quote) quote = '';
      else if (quote === '"' && char === '\\' && /["$`\\]/.test(line[at + 1] ?? '')) {
        word += line[++at] ?? '';
      } else word += char;
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      breaks = [];
    } else if (char === '"' || char === "'") {
      word ??= '';
      quote = char;
    } else if (char === '\\') {
      word = (word ?? '') + (line[++at] ?? '');
    } else {
      word = (word ?? '') + char;
      if (char === ':' || char === '=') breaks.push({ char, end: word.length });
    }
  }
  const begin = words.findIndex((one) => !/^\w+=/.test(one));
  return { words: words.slice(Math.max(0, begin)), typed: word ?? '', quote, breaks };
}

/**
 * A candidate for bash to insert: quoted, and without the part of the word that bash treats as a word of its own,
 * because it ends in one of `wordBreaks`.
 */
export function bashReply(
  candidate: string,
  { typed, quote, breaks }: Pick<ShellLine, 'typed' | 'quote' | 'breaks'>,
  wordBreaks: string,
): string {
  // A quote ends the word in quotes: one in backslashes follows, and the next word in quotes.
  if (quote === "'") return candidate.replaceAll("'", "'\\''");
  if (quote === '"') return candidate.replace(/["$`\\]/g, '\\$&');
  const begin = breaks.findLast(({ char }) => wordBreaks.includes(char))?.end ?? 0;
  const rest = candidate.startsWith(typed.slice(0, begin)) ? candidate.slice(begin) : candidate;
  return rest.replace(/[^\w\-.,:/=@%+~^\x80-\uffff]/g, '\\$&');
}

/** How long the user waits after a key, in milliseconds. */
const PATIENCE_MS = 2_500;

/**
 * The possible continuations of a command line after `words`, which lack the program. Asks nothing and prints nothing;
 * a remote that does not respond in time has no completions.
 */
export async function completeWords(
  words: readonly string[],
  typed: string,
  { commands, ...invocation }: CommandCall & Program & Environment,
): Promise<readonly Candidate[]> {
  const jobLine = words[0] === 'job' ? words.indexOf('--') : -1;
  if (jobLine > 0) {
    return completeWords(words.slice(jobLine + 1), typed, { commands, ...invocation });
  }
  const { flags, env, context } = invocation;
  let ofBackends: readonly KnownFlag[] = [];
  if (/^--[^=]{2}/.test(typed)) {
    const [{ backendFlags }, { flagsByTyped }, { rcloneToAsk }] = await Promise.all([
      import('../../src/shell/command-line/backend-flags.ts'),
      import('../../src/shell/command-line/rclone-flags.ts'),
      import('../../src/backends/rclone/index.ts'),
    ]);
    const ofRclone = await flagsByTyped(typed.slice(2), rcloneToAsk({ flags, env }));
    ofBackends = [...backendFlags(), ...ofRclone];
  }
  const before = readTypedWords(words, commands);
  const wanted = wantedAt(before, typed, commands, ofBackends);
  // Without names that would break the lines of the output.
  const shown = (found: readonly Candidate[]) =>
    found.filter(({ text }) => text.startsWith(typed) && !/[\0-\x1f\x7f]/.test(text));
  if (wanted.kind === 'words') return shown(wanted.words);
  // A remote that ignores the signal is not waited for.
  const late = AbortSignal.timeout(PATIENCE_MS + 100);
  const look = async () => {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const { lookUp } = await import('./look-up.ts');
    const config = before.values.get('config') ?? flags.config;
    const silent = { ...context, signal, emit: () => {} };
    return lookUp(wanted, typed, { ...flags, config }, env, silent);
  };
  return shown(await abortable(look(), late).catch(() => []));
}

/** The words before the one being typed, parsed as far as possible. */
export interface TypedWords {
  /** The arguments, the command first. */
  readonly args: readonly string[];
  /** The flag whose value comes next. */
  readonly awaiting: KnownFlag | undefined;
  /** `--` was typed: no flags can follow. */
  readonly flagsEnded: boolean;
  /** Values of flags, by name. */
  readonly values: ReadonlyMap<string, string>;
  readonly flags: FlagSet;
}

/** Parses the words before the one being typed; ignores errors in them. */
export function readTypedWords(
  words: readonly string[],
  commands: readonly CommandSummary[],
): TypedWords {
  const paths = allUsages(commands).map(({ name }) => name);
  const first = scan(words, flagSetOf(commands, undefined));
  const [command = '', sub = ''] = first.args;
  const path = [`${command} ${sub}`, command].find((name) => paths.includes(name));
  const flags = flagSetOf(commands, path);
  return path === undefined ? { ...first, flags } : { ...scan(words, flags), flags };
}

function scan(words: readonly string[], flags: FlagSet): Omit<TypedWords, 'flags'> {
  const args: string[] = [];
  const values = new Map<string, string>();
  let awaiting: KnownFlag | undefined;
  for (const [index, word] of words.entries()) {
    if (awaiting !== undefined) {
      values.set(awaiting.name, word);
      awaiting = undefined;
    } else if (word === '--') {
      args.push(...words.slice(index + 1));
      return { args, values, awaiting, flagsEnded: true };
    } else if (word.startsWith('-') && word.length > 1) {
      const { flag, value } = flagOf(word, flags);
      if (flag === undefined) continue;
      if (value !== undefined) values.set(flag.name, value);
      else if (!standsAlone(flag)) awaiting = flag;
    } else {
      args.push(word);
    }
  }
  return { args, values, awaiting, flagsEnded: false };
}

/** The flag of a word that starts with `-`; of several letters the last one, which alone can take a value. */
function flagOf(word: string, { byName, byShort }: FlagSet): { flag?: KnownFlag; value?: string } {
  if (word.startsWith('--')) {
    const equals = word.indexOf('=');
    const flag = byName.get(word.slice(2, equals < 0 ? undefined : equals));
    if (flag === undefined) return {};
    return equals < 0 ? { flag } : { flag, value: word.slice(equals + 1) };
  }
  for (const [index, letter] of [...word].entries()) {
    const flag = index === 0 ? undefined : byShort.get(letter);
    if (flag === undefined || standsAlone(flag)) continue;
    const value = word.slice(index + 1).replace(/^=/, '');
    return value === '' ? { flag } : { flag, value };
  }
  return {};
}

/** A possible continuation of the word being typed. */
export interface Candidate {
  /** The whole word. After `/`, `:` or `=` it continues: no blank is added. */
  readonly text: string;
  readonly help?: string | undefined;
}

/** What may come at a place: known words, or something to look up. */
export type Wanted =
  | { readonly kind: 'words'; readonly words: readonly Candidate[] }
  /** Names of remotes; `colon`: followed by the colon. */
  | { readonly kind: 'remotes'; readonly colon: boolean }
  /** Names of saved jobs. */
  | { readonly kind: 'jobs' }
  /** IDs of runs. */
  | { readonly kind: 'runs' }
  /** Names of backends. */
  | { readonly kind: 'types' }
  /** A path of a remote or of this machine, after `lead`, which is part of the word. */
  | { readonly kind: 'path'; readonly lead: string; readonly localOnly: boolean }
  /** Names of the options of a remote (`''`: of the kind `type`), as `key=`. */
  | { readonly kind: 'option-keys'; readonly remote: string; readonly type: string };

/** Names of hashes, for the commands that take one. */
const HASHES = [
  ...['md5', 'sha1', 'crc32', 'sha256', 'sha512'],
  ...['blake3', 'xxh3', 'xxh128', 'quickxor'],
];

const NOTHING: Wanted = words([]);

/** What may replace the word `typed`, whose flags may be completed by `backendFlags`, too. */
export function wantedAt(
  before: TypedWords,
  typed: string,
  commands: readonly CommandSummary[],
  backendFlags: readonly KnownFlag[],
): Wanted {
  const { awaiting, flagsEnded, flags } = before;
  if (awaiting !== undefined) return flagValue(awaiting.definition, '');
  if (!flagsEnded && typed.startsWith('-')) {
    const equals = typed.indexOf('=');
    if (equals < 0) {
      const known = [...flags.byName.values(), ...backendFlags];
      return words(known.map(({ name, definition: { help } }) => ({ text: `--${name}`, help })));
    }
    const flag = flags.byName.get(typed.slice(2, equals));
    return flag === undefined
      ? NOTHING
      : flagValue(flag.definition, typed.slice(0, equals + 1), true);
  }
  return argument(before.args, commands);
}

function argument(args: readonly string[], commands: readonly CommandSummary[]): Wanted {
  const [name, ...rest] = args;
  const shown = commands.filter(({ hidden }) => hidden !== true);
  if (name === undefined) {
    return words(shown.map((one) => ({ text: one.name, help: one.summary })));
  }
  if (name === 'help') {
    if (rest.length > 0) return NOTHING;
    const names = allUsages(shown).filter((one) => !one.name.includes(' '));
    return words([
      { text: 'flags', help: 'Flags common to all commands' },
      { text: 'filters', help: 'Filter rules' },
      { text: 'backends', help: 'Backends' },
      { text: 'backend', help: 'Options of a backend' },
      ...names.map((one) => ({ text: one.name, help: one.summary })),
    ]);
  }
  const command = commands.find((one) => one.name === name);
  if (command === undefined) return NOTHING;
  const usage = usageOf(command, rest);
  if (usage === command && command.subcommands !== undefined) {
    const below = rest.length === 0 ? command.subcommands : [];
    return words(below.map((one) => ({ text: one.name, help: one.summary })));
  }
  const own = usage === command ? rest : rest.slice(1);
  if (own.length >= argumentCounts(usage)[1]) return NOTHING;
  return placeOf(usage.usage, own);
}

/** The meaning of a place in the usage line: `remote:path`, `name`, `set|remove|check`. */
function placeOf(usage: string, own: readonly string[]): Wanted {
  const [plain = '', pairs] = usage.split(/ ?\[key=/);
  const places = plain.replace(/[[\]]/g, '').split(' ');
  if (pairs !== undefined && own.length >= places.length) {
    const type = places[1] === 'type' ? (own[1] ?? '') : '';
    return { kind: 'option-keys', remote: own[0] ?? '', type };
  }
  const place = places[own.length] ?? places.at(-1) ?? '';
  if (place === 'name') return { kind: 'remotes', colon: false };
  if (place === 'type') return { kind: 'types' };
  if (place === 'job') return { kind: 'jobs' };
  if (place === 'run-id') return { kind: 'runs' };
  if (place === 'remote:') return { kind: 'remotes', colon: true };
  if (place === 'hash') return words(HASHES.map((text) => ({ text })));
  if (place === 's3') return words([{ text: 's3' }]);
  if (/:path|^path$/.test(place)) return { kind: 'path', lead: '', localOnly: place === 'path' };
  if (/file|conf|dir|json/.test(place)) return { kind: 'path', lead: '', localOnly: true };
  if (place.includes('|')) return words(place.split('|').map((text) => ({ text })));
  return NOTHING;
}

function flagValue(definition: FlagDefinition, lead: string, equals = false): Wanted {
  const { type, values, placeholder = '' } = definition;
  if (values !== undefined) return words(values.map((text) => ({ text: lead + text })));
  if (type === 'bool' && equals) return words(['true', 'false'].map((v) => ({ text: lead + v })));
  if (placeholder === 'hash') return words(HASHES.map((text) => ({ text: lead + text })));
  if (placeholder.includes(':path')) return { kind: 'path', lead, localOnly: false };
  if (namesLocalPath(definition)) return { kind: 'path', lead, localOnly: true };
  return NOTHING;
}

function words(list: readonly Candidate[]): Wanted {
  return { kind: 'words', words: list };
}
