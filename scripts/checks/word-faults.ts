import type { SourceFile } from './source-files.ts';

/** Words that docs/style.md forbids, and what to write instead. */
const FORBIDDEN: readonly (readonly [words: RegExp, instead: string])[] = [
  [/\banew\b/i, 'again'],
  [/\bmeanwhile\b/i, 'during …'],
  [/\b(whoever|somebody|nobody)\b/i, 'a noun: the user, another program'],
  [/\b(is|are|was|were) told\b|\btells\b/i, 'prints, reports, shows, returns'],
  [/\bbroken? off\b/i, 'interrupted, ended'],
  [/\b(goes|go|going) on with\b/i, 'continues, resumes'],
  [/\b(comes?|came) to (its|an) end\b/i, 'ends'],
  [/\bknows of\b/i, 'has, supports'],
  [/\bthrows? away\b/i, 'discards'],
  [/\bg[ia]ves? up\b/i, 'aborts, stops'],
  [/\bg[ia]ves? back\b/i, 'returns, restores'],
  [/\bkinds? of storage\b/i, 'backend'],
  [/\bso many\b/i, 'a number of, at most'],
  [/\bsurplus\b/i, 'extra'],
  [/\bin vain\b/i, 'without success'],
  [/\b(from|of|at) the begin\b/i, 'start'],
  [/\bin place of\b/i, 'instead of'],
  [/\bfor ever\b/i, 'forever, permanently'],
  [/\bmade good\b/i, 'resolved'],
  [/\bit is of use\b|\bis of no use\b/i, 'helps, does not help'],
  [/\bthe other way round\b/i, 'reversed'],
];

/** Any of them: most texts have none. */
const ANY = new RegExp(FORBIDDEN.map(([words]) => words.source).join('|'), 'i');

/** The page that lists the words. */
const NOT_READ = /^docs\/style\.md$/;

/** Names of tests are no texts for users. */
const TEXTS = /^(commands|components|installer|src)\//;

const COMMENT = /^[ \t]*(\/\/|\/?\*).*$|\s\/\/ .*$/gm;

const QUOTED = /`(?:[^`\\]|\\.)*`|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/gs;

/** Where a page of docs or a text for users has a forbidden word, one line each. */
export function findWordFaults(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) =>
    shownTexts(path, text)
      .filter(({ shown }) => ANY.test(shown))
      .flatMap(({ shown, code, index }) => {
        const line = code.slice(0, index).split('\n').length;
        return FORBIDDEN.filter(([words]) => words.test(shown)).map(
          ([words, instead]) =>
            `${path}:${line}: "${words.exec(shown)?.[0]}": write ${instead} (docs/style.md)`,
        );
      }),
  );
}

/** A text that people read. */
interface ShownText {
  readonly shown: string;
  /** Where it stands. */
  readonly code: string;
  readonly index: number;
}

/** The lines of a page, or the comments and the quoted texts of several words in a source file. */
function shownTexts(path: string, text: string): ShownText[] {
  if (path.endsWith('.md')) {
    if (NOT_READ.test(path)) return [];
    return [...text.matchAll(/.+/g)].map(({ 0: shown, index }) => ({ shown, code: text, index }));
  }
  if (!TEXTS.test(path)) return [];
  const comments: ShownText[] = [];
  const code = text.replace(COMMENT, (comment, _isWhole, index) => {
    comments.push({ shown: comment.trim(), code: text, index });
    return '';
  });
  const quoted = [...code.matchAll(QUOTED)]
    .filter(([shown]) => /\w \w/.test(shown))
    .map(({ 0: shown, index }) => ({ shown, code, index }));
  return [...quoted, ...comments];
}
