import type { Invocation } from '../../src/shell/command-line/command.ts';
import { type Candidate, completeWords } from './complete.ts';

/** The value of `$COMP_TYPE` when bash lists candidates instead of inserting one. */
const LISTING = '63';
/** Longer descriptions are cut, so that most fit on one line. */
const WIDEST = 60;

/**
 * `syncer __complete words word…` for the scripts of `completion`: a line for each candidate, with a tab before its
 * description. `syncer __complete bash type breaks line` takes bash's variables and prints what bash inserts.
 */
export async function completeCommand(invocation: Invocation): Promise<void> {
  const [form, ...args] = invocation.args;
  const lines = form === 'bash' ? await forBash(args, invocation) : await asWords(args, invocation);
  await invocation.out.write(lines.map((line) => `${line}\n`).join(''));
}

async function asWords(
  args: readonly string[],
  invocation: Invocation,
): Promise<readonly string[]> {
  // Some versions of PowerShell drop an empty word, others pass its quotes.
  const last = args.at(-1) ?? '';
  const typed = invocation.args[0] === 'powershell' && last === '""' ? '' : last;
  const candidates = await completeWords(args.slice(0, -1), typed, invocation);
  return candidates.map(({ text, help }) => (help === undefined ? text : `${text}\t${help}`));
}

async function forBash(
  [type = '', breaks = '', line = '']: readonly string[],
  invocation: Invocation,
): Promise<readonly string[]> {
  const shell = splitShellLine(line);
  const candidates = await completeWords(shell.words.slice(1), shell.typed, invocation);
  const told = type === LISTING && candidates.length > 1;
  return candidates.map((candidate) => {
    const reply = bashReply(candidate.text, shell, breaks);
    return told ? described(reply, candidate) : reply;
  });
}

function described(reply: string, { help }: Candidate): string {
  if (help === undefined) return reply;
  const short = help.length > WIDEST ? `${help.slice(0, WIDEST - 1)}…` : help;
  return `${reply}  (${short})`;
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
