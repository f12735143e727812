import type { SourceFile } from './source-files.ts';

/** A name that a file gives to something: the title of a test is one, the key of an object literal is not. */
export interface DeclaredName {
  readonly kind: 'type' | 'function' | 'property' | 'variable' | 'title' | 'file';
  readonly name: string;
  /** Counted from 1; 1 for the name of the file. */
  readonly line: number;
}

type Found = Pick<DeclaredName, 'kind' | 'name'>;

const COMMENT = /^\s*(?:\/\/|\/?\*)/;
const QUOTED = /`(?:[^`\\]|\\.)*`|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/g;

/** What begins a type and hardly ever a value, behind `name: `. */
const TYPE = String.raw`(?:readonly |typeof |keyof |'' \||\{ (?:readonly )?\w+\??: (?:string|number|boolean|[A-Z])|(?:string|number|boolean|bigint|unknown|void|object|symbol|[A-Z](?:\w*[a-z]\w*)?)(?![\w.(]))`;

const KEYWORD =
  /\b(?:(class|interface|type)|(function\*?)|const|let|using) ([\w$]+)(?=( = (?:async )?(?:\(.*=>|\($|<))|<| =|\(| \{|: | of | extends |;|$)/g;
const MEMBER =
  /^ {2}(?:(?:static|async|override|protected|private|readonly|get|set) )*\*?#?([\w$]+)(?:(?=\??[(<]|\??: \(.*=>)()|(?=\??:|!:| =|;))/;
const ANNOTATED = new RegExp(
  String.raw`(?<![\w$?]|[^.]\.)(?:(readonly )#?([\w$]+)(?!\[|[\w$])|([\w$]+)(?=\?: |: (?:${TYPE}|\(.*\) => ${TYPE}|\(\()))`,
  'g',
);
const SIGNATURE = /^\s*([\w$]+)\??(?:<.*>)?\(.*\): .*;$/;
const DEFAULTS = /\bfunction\b|\bconstructor\(|\): .*\{$|=>/;
const ARROW = /\(([^()]*)\)(?:: [^=()]*)? =>/g;
const PATTERN = /\b(?:const|let) (\{.*\}|\[.*\])(?= = | of )|(?:^\s*|\()(\{.*\})(?=: [A-Z])/;
const CAUGHT = /\bcatch \((\w+)\)/;
const IMPORTED = /^(?:import|export|\s+(?:type )?\w+ as \w+,$).*?\bas (\w+)/;

/** The title of a test or of a group of tests, as the formatter breaks lines. */
const TITLE =
  /^\s*(?:(?:test|testOfAll|it|describe)\b.*?\(|[\])}].*\)\(|)(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`([^`]*)`)(?:,|$)/;
const OPENS_TITLE = /(?:^\s*(?:test|testOfAll|it|describe)\b.*|\))\($/;

/**
 * The names that a file declares on lines where `words` finds something. It relies on the formatter, as `importsOf` does,
 * and reads no other lines, because a parser would take three times as long as all other checks.
 *
 * @param words a pattern with the flag `g`
 */
export function declaredNames({ path, text }: SourceFile, words: RegExp): DeclaredName[] {
  const names: DeclaredName[] = [];
  let behind = -1;
  let line = 1;
  let counted = 0;
  for (const { index } of text.matchAll(words)) {
    if (index < behind) continue;
    const start = text.lastIndexOf('\n', index) + 1;
    behind = text.indexOf('\n', index);
    if (behind < 0) behind = text.length;
    const shown = text.slice(start, behind);
    if (COMMENT.test(shown)) continue;
    for (const found of namesOn(shown, text, start, path, words)) {
      for (; counted < start; counted = text.indexOf('\n', counted) + 1) line++;
      names.push({ ...found, line });
    }
  }
  return names;
}

function namesOn(shown: string, text: string, start: number, path: string, words: RegExp): Found[] {
  const found: Found[] = [];
  const add = (kind: Found['kind'], name: string | undefined) => {
    if (name !== undefined) found.push({ kind, name });
  };
  if (path.startsWith('test/')) add('title', titleOn(shown, text, start));
  const code = shown.replace(QUOTED, "''").replace(/ \/\/ .*/, '');
  if (code.search(words) < 0) return found;
  for (const [, isType, isFunction, name, isArrow] of code.matchAll(KEYWORD)) {
    add(isType ? 'type' : isFunction || isArrow ? 'function' : 'variable', name);
  }
  const member = MEMBER.exec(code);
  if (member !== null && isInType(text, start)) {
    add(member[2] === undefined ? 'property' : 'function', member[1]);
  }
  for (const { 0: whole, 1: isMember, 2: name, 3: parameter, index } of code.matchAll(ANNOTATED)) {
    const isFunction = /^\??: \((?:.*=>|$)/.test(code.slice(index + whole.length));
    add(isFunction ? 'function' : isMember ? 'property' : 'variable', name ?? parameter);
  }
  add('function', SIGNATURE.exec(code)?.[1]);
  for (const [, list = ''] of code.matchAll(ARROW)) addParameters(list, add);
  if (DEFAULTS.test(code)) {
    const plain = code.replace(/\{[^{}]*\}/g, '');
    for (const [, name] of plain.matchAll(/(?:\(|, )([\w$]+) = /g)) add('variable', name);
  }
  const [, bound, parameter] = PATTERN.exec(code) ?? [];
  addBound(bound ?? parameter ?? '', add);
  add('variable', CAUGHT.exec(code)?.[1]);
  add('variable', IMPORTED.exec(code)?.[1]);
  return found;
}

type Add = (kind: Found['kind'], name: string | undefined) => void;

/** The parameters of an arrow function without types. */
function addParameters(list: string, add: Add): void {
  for (const part of list
    .replace(/\{[^{}]*\}|\[[^[\]]*\]/g, (bound) => addBound(bound, add))
    .split(', ')) {
    add('variable', /^(?:\.\.\.)?([\w$]+)(?: = .*)?$/.exec(part)?.[1]);
  }
}

/** The names in a destructuring pattern that are not those of members: `b` in `{ a: b }`, and all in `[a, b]`. */
function addBound(pattern: string, add: Add): string {
  const isList = pattern.startsWith('[');
  const bound = isList ? /[[ .]([\w$]+)(?=,| = |\])/g : /(?:: |\.)([\w$]+)(?= = |,| \})/g;
  const shown = isList ? pattern.replace(/\{[^{}]*\}/g, '') : pattern;
  for (const [, name] of shown.matchAll(bound)) add('variable', name);
  return '';
}

function titleOn(shown: string, text: string, start: number): string | undefined {
  const [, single, double, template] = TITLE.exec(shown) ?? [];
  const title = single ?? double ?? template;
  if (title === undefined || !/^\s*['"`]/.test(shown)) return title;
  const before = text.slice(text.lastIndexOf('\n', start - 2) + 1, start - 1);
  return OPENS_TITLE.test(before) ? title : undefined;
}

/** Whether the innermost line at the left margin before `start` begins a class, an interface or a type. */
function isInType(text: string, start: number): boolean {
  let at = start;
  do at = text.lastIndexOf('\n', at - 2) + 1;
  while (at > 0 && /[\s{]/.test(text[at] ?? ''));
  return /^(?:export )?(?:abstract )?(?:class|interface|type) /.test(text.slice(at, at + 30));
}
