import type { SourceFile } from './source-files.ts';

/** Words that docs/style.md forbids in texts for users, and what to write instead. */
const FORBIDDEN: readonly (readonly [words: RegExp, instead: string])[] = [
  [/\banew\b/i, 'again'],
  [/\bmeanwhile\b/i, 'during …'],
  [/\b(whoever|somebody|nobody)\b/i, 'a noun: the user, another program'],
  [/\b(is told|tells)\b/i, 'prints, reports, shows, returns'],
  [/\bbroken? off\b/i, 'interrupted, ended'],
  [/\b(goes|go|going) on with\b/i, 'continues, resumes'],
  [/\bcomes to its end\b/i, 'ends'],
  [/\bknows of\b/i, 'has, supports'],
  [/\bthrows? away\b/i, 'discards'],
  [/\bgives? up\b/i, 'aborts, stops'],
  [/\bkinds? of storage\b/i, 'backend'],
  [/\bso many\b/i, 'a number of, at most'],
];

/** Pages whose prose is generated or about something else than what users see. */
const NOT_READ = /^docs\/(style|proof|chaos|webhook|webhook-performance)\.md$/;

/** Hook texts are those of webhook 2.8.0, and tests' names are no texts for users. */
const TEXTS = /^(commands|components|installer|src\/(?!webhook\/))/;

const QUOTED = /`(?:[^`\\]|\\.)*`|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/gs;

/** Where a page of docs or a text for users has a forbidden word, one line each. */
export function findWordFaults(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) =>
    textLines(path, text).flatMap(([line, shown]) =>
      FORBIDDEN.filter(([words]) => words.test(shown)).map(
        ([words, instead]) =>
          `${path}:${line}: "${words.exec(shown)?.[0]}": write ${instead} (docs/style.md)`,
      ),
    ),
  );
}

/** The lines of a page, or the quoted texts of several words in a source file, each with its line. */
function textLines(path: string, text: string): [line: number, shown: string][] {
  if (path.endsWith('.md')) {
    if (NOT_READ.test(path)) return [];
    return text.split('\n').map((shown, index) => [index + 1, shown]);
  }
  if (!TEXTS.test(path)) return [];
  const code = text.replace(/^\s*(\/\/|\/?\*).*$|\s\/\/ .*$/gm, '');
  return [...code.matchAll(QUOTED)]
    .filter(([shown]) => /\w \w/.test(shown))
    .map(({ 0: shown, index }) => [code.slice(0, index).split('\n').length, shown]);
}
