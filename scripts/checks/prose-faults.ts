import type { SourceFile } from './source-files.ts';

/** Who may write log text: the programs, their screens, and the hook server, which has its own log. */
const SPEAKERS =
  /^(?:commands|components|installer|src\/(?:run(?!\/journal)|shell(?!\/progress)|webhook)|src\/main\.ts)/;

const EMITS = /\b(?:emit|log|logEvent)\(/g;
const EVENT = /\btype: 'log'/g;

/** What a `wait` event is about: a verb and its object. */
const WHAT = /\bwhat: `\w+ \$\{[^}]*\}`/g;

const TEXT = /`(?:[^`\\]|\\.)*`|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/gs;

/**
 * Where a file that must not speak emits prose, one line each: the code `message`, or a text of several words in a call
 * that emits, in an event, or in what becomes the `fields` of one.
 */
export function findProseFaults(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) => {
    if (!/^(?:src|commands|components|installer)\//.test(path) || SPEAKERS.test(path)) return [];
    const code = text.replace(/^\s*(\/\/|\/?\*).*$|\s\/\/ .*$/gm, '');
    const spots = [
      ...[...code.matchAll(EMITS)].map(({ 0: call, index }) => index + call.length - 1),
      ...[...code.matchAll(EVENT)].map(({ index }) => code.lastIndexOf('{', index)),
      ...[...code.matchAll(/\b(?:const fields|fields:|const event)\s*=?\s*\{/g)].map(
        ({ 0: start, index }) => index + start.length - 1,
      ),
    ];
    const found = spots.flatMap((start) => {
      const inside = code.slice(start, endOf(code, start)).replace(WHAT, '');
      const isMessage = /\bcode: 'message'|, 'message'/.test(inside);
      const prose = [...inside.matchAll(TEXT)].find(([shown]) => /[a-z,:] [\w$"(]/i.test(shown));
      if (!isMessage && prose === undefined) return [];
      return [
        `${path}:${code.slice(0, start).split('\n').length}: emits prose: use a code of LogFields`,
      ];
    });
    return [...new Set(found)];
  });
}

/** Behind the bracket that closes the one at `start`. Brackets in texts do not count. */
function endOf(code: string, start: number): number {
  const rest = code.slice(start).replace(TEXT, (text) => '_'.repeat(text.length));
  let depth = 0;
  for (let at = 0; at < rest.length; at++) {
    if ('({['.includes(rest[at] ?? '')) depth++;
    else if (')}]'.includes(rest[at] ?? '') && --depth === 0) return start + at + 1;
  }
  return code.length;
}
