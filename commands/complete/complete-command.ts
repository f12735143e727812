import type { Invocation } from '../../src/shell/command-line/command.ts';
import { completeWords } from './complete.ts';
import { bashReply, splitShellLine } from './shell-line.ts';
import type { Candidate } from './wanted-at.ts';

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
