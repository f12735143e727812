import type { Invocation } from '../../shell/command-line/command.ts';
import { shellLine } from '../../system/shell-words.ts';

/** The command line of a run, for a shell, with these flags instead of their earlier values. */
export function goingOn(
  { shownWords }: Pick<Invocation, 'shownWords'>,
  flags: Readonly<Record<string, string>>,
): string {
  const names = Object.keys(flags).map((name) => `--${name}`);
  const end = shownWords.indexOf('--');
  const [before, after] =
    end < 0 ? [shownWords, []] : [shownWords.slice(0, end), shownWords.slice(end)];
  const left = before.filter(
    (word, at) =>
      !names.includes(word) &&
      !names.includes(before[at - 1] ?? '') &&
      !names.some((name) => word.startsWith(`${name}=`)),
  );
  const added = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
  return shellLine([...left, ...added, ...after]);
}
