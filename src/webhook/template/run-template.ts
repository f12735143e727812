import { join } from 'node:path';
import { nameFromBytes, nameToBytes } from '../../core/name-bytes.ts';
import { goQuote } from '../../go/go-texts.ts';
import { readRegularFileSync } from '../../system/read-whole.ts';

interface Scope {
  readonly dot: TemplateValue;
  /** The last one of a name counts. */
  readonly variables: { readonly name: string; value: TemplateValue }[];
}

type Evaluate = (scope: Scope) => TemplateValue;
type Print = (scope: Scope) => string;

/** Of Go's templates, what could only work on data; a hook file has none. */
const NEEDS_DATA = /^(?:range|define|template|block|break|continue)$/;
const CONSTANTS: ReadonlyMap<string, TemplateValue> = new Map<string, TemplateValue>([
  ['true', true],
  ['false', false],
  ['nil', null],
]);

/**
 * What a hook file gives that is a template of Go: text, comments, `if` and `with`, variables, and pipes of functions.
 * Throws `TemplateFault`.
 */
export function runTemplate(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const print = new TemplateParser(tokenize(text), templateFunctions(env)).whole();
  return print({ dot: null, variables: [] });
}

/** Makes functions of a template that print its parts. */
class TemplateParser {
  readonly #pieces: readonly TemplatePiece[];
  readonly #functions: ReadonlyMap<string, TemplateFunction>;
  #at = 0;
  /** What is left of the current action. */
  #tokens: readonly TemplateToken[] = [];
  #line = 1;

  constructor(pieces: readonly TemplatePiece[], functions: ReadonlyMap<string, TemplateFunction>) {
    this.#pieces = pieces;
    this.#functions = functions;
  }

  whole(): Print {
    const { print, stop } = this.#list();
    if (stop !== undefined) throw this.#fault(`unexpected {{${stop}}}`);
    return print;
  }

  /** Reads up to `{{end}}`, `{{else}}` or the end of the file. */
  #list(): { readonly print: Print; readonly stop?: string } {
    const parts: Print[] = [];
    const print: Print = (scope) => parts.map((part) => part(scope)).join('');
    while (true) {
      const piece = this.#pieces[this.#at++];
      if (piece === undefined) return { print };
      if ('text' in piece) {
        parts.push(() => piece.text);
        continue;
      }
      this.#tokens = piece.tokens;
      this.#line = piece.line;
      const word = this.#tokens[0]?.kind === 'word' ? this.#tokens[0].text : '';
      if (word === 'end' || word === 'else') {
        this.#take();
        return { print, stop: word };
      }
      if (word === 'if' || word === 'with') {
        this.#take();
        parts.push(this.#branch(word));
      } else parts.push(this.#action());
    }
  }

  #action(): Print {
    const [, assignment] = this.#tokens;
    const isSilent = assignment?.kind === 'mark' && /=$/.test(assignment.text);
    const value = this.#wholePipe();
    return (scope) => {
      const found = value(scope);
      return isSilent ? '' : String(found ?? '<no value>');
    };
  }

  #branch(kind: 'if' | 'with'): Print {
    const value = this.#wholePipe();
    const then = this.#list();
    let otherwise: Print = () => '';
    if (then.stop === 'else' && kind === 'if' && this.#takes('if')) {
      otherwise = this.#branch('if');
    } else if (then.stop === 'else') {
      this.#expectEnd();
      const { print, stop } = this.#list();
      if (stop !== 'end') throw this.#fault(`{{end}} of {{${kind}}} is missing`);
      otherwise = print;
    } else if (then.stop === undefined) throw this.#fault(`{{end}} of {{${kind}}} is missing`);
    return (scope) => {
      const inner = { ...scope, variables: [...scope.variables] };
      const found = value(inner);
      if (!isTrue(found)) return otherwise(inner);
      return then.print(kind === 'with' ? { ...inner, dot: found } : inner);
    };
  }

  #wholePipe(): Evaluate {
    const pipe = this.#pipe();
    this.#expectEnd();
    return pipe;
  }

  #pipe(): Evaluate {
    const [first, second] = this.#tokens;
    if (first?.kind === 'variable' && second?.kind === 'mark' && /=$/.test(second.text)) {
      this.#tokens = this.#tokens.slice(2);
      return this.#assignment(first.text, second.text === ':=', this.#pipe());
    }
    let value = this.#command();
    while (this.#takes('|')) value = this.#command(value);
    return value;
  }

  #assignment(name: string, declares: boolean, value: Evaluate): Evaluate {
    const find = this.#variable(name);
    return (scope) => {
      const found = value(scope);
      if (declares) scope.variables.push({ name, value: found });
      else find(scope).value = found;
      return found;
    };
  }

  /** A function with its arguments, of which `piped` is the last, or a single value. */
  #command(piped?: Evaluate): Evaluate {
    const [token] = this.#tokens;
    if (token?.kind !== 'word' || CONSTANTS.has(token.text)) {
      if (piped !== undefined) throw this.#fault('a function is missing behind |');
      const value = this.#operand();
      if (value === undefined) throw this.#fault('a value is missing');
      return value;
    }
    this.#take();
    const given: Evaluate[] = [];
    for (let next = this.#operand(); next !== undefined; next = this.#operand()) given.push(next);
    return this.#call(token.text, piped === undefined ? given : [...given, piped]);
  }

  #call(name: string, given: readonly Evaluate[]): Evaluate {
    if (NEEDS_DATA.test(name)) throw this.#fault(`{{${name}}} is not supported in hook files`);
    const call = this.#functions.get(name);
    if (call === undefined) throw this.#fault(`there is no function ${name}`);
    const line = this.#line;
    return (scope) => {
      const values = given.map((value) => value(scope));
      try {
        return call(...values);
      } catch (thrown) {
        throw new TemplateFault(line, `${name}: ${(thrown as Error).message}`);
      }
    };
  }

  #operand(): Evaluate | undefined {
    const token = this.#tokens[0];
    if (token === undefined || (token.kind === 'mark' && token.text !== '(')) return undefined;
    this.#take();
    switch (token.kind) {
      case 'text':
      case 'number': {
        const value = this.#literal(token.text);
        return () => value;
      }
      case 'variable': {
        const find = this.#variable(token.text);
        return (scope) => find(scope).value;
      }
      case 'dot':
        return ({ dot }) => dot;
      case 'field':
        throw this.#fault(`${token.text}: a hook file is given no data`);
      case 'word': {
        const value = CONSTANTS.get(token.text);
        return value === undefined ? this.#call(token.text, []) : () => value;
      }
      case 'mark': {
        const value = this.#pipe();
        if (!this.#takes(')')) throw this.#fault(') is missing');
        return value;
      }
    }
  }

  #literal(text: string): TemplateValue {
    if (text.startsWith('`')) return text.slice(1, -1).replaceAll('\r', '');
    try {
      return JSON.parse(text.replace(/^\+/, ''));
    } catch {
      throw this.#fault(`${text} is neither a string nor a number`);
    }
  }

  #variable(name: string): (scope: Scope) => Scope['variables'][number] {
    const fault = this.#fault(`there is no variable ${name}`);
    return ({ variables }) => {
      const found = variables.findLast((known) => known.name === name);
      if (found === undefined) throw fault;
      return found;
    };
  }

  #take(): void {
    this.#tokens = this.#tokens.slice(1);
  }

  #takes(text: string): boolean {
    const isNext = this.#tokens[0]?.text === text;
    if (isNext) this.#take();
    return isNext;
  }

  #expectEnd(): void {
    const [rest] = this.#tokens;
    if (rest !== undefined) throw this.#fault(`unexpected ${rest.text}`);
  }

  #fault(text: string): TemplateFault {
    return new TemplateFault(this.#line, text);
  }
}

/** What is wrong with a template, and in which line. */
class TemplateFault extends Error {
  constructor(line: number, text: string) {
    super(`template, line ${line}: ${text}`);
  }
}

/** A word of an action. */
interface TemplateToken {
  readonly kind: 'word' | 'text' | 'number' | 'variable' | 'field' | 'dot' | 'mark';
  readonly text: string;
}

/** A template is text and actions. */
type TemplatePiece =
  | { readonly text: string }
  | { readonly tokens: readonly TemplateToken[]; readonly line: number };

const PATTERNS: readonly (readonly [TemplateToken['kind'] | 'blank', RegExp])[] = [
  ['blank', /[ \t\r\n]+/y],
  ['text', /"(?:[^"\\\n]|\\[^\n])*"|`[^`]*`/y],
  ['number', /[-+]?\.?\d[\w.]*/y],
  ['variable', /\$[\p{L}\p{N}_]*/uy],
  ['field', /\.[\p{L}_][\p{L}\p{N}_.]*/uy],
  ['dot', /\./y],
  ['word', /[\p{L}_][\p{L}\p{N}_]*/uy],
  ['mark', /:=|=|\||\(|\)/y],
];
const CLOSE = /([ \t\r\n]+-)?\}\}/y;
const COMMENT = /\s*\/\*[\s\S]*?\*\/([ \t\r\n]+-)?\}\}/y;

/** Splits a template; comments are left out. Throws `TemplateFault`. */
function tokenize(template: string): TemplatePiece[] {
  const pieces: TemplatePiece[] = [];
  let at = 0;
  let trims = false;
  while (true) {
    const open = template.indexOf('{{', at);
    let text = template.slice(at, open < 0 ? template.length : open);
    if (trims) text = text.replace(/^[ \t\r\n]+/, '');
    const trimsBefore = open >= 0 && /^-[ \t\r\n]/.test(template.slice(open + 2, open + 4));
    if (trimsBefore) text = text.trimEnd();
    if (text !== '') pieces.push({ text });
    if (open < 0) return pieces;
    const start = open + (trimsBefore ? 3 : 2);
    const comment = matchAt(COMMENT, template, start);
    const action = comment === null ? readAction(template, start) : undefined;
    if (action !== undefined) pieces.push(action);
    const closed = comment ?? action?.closed;
    at = (closed?.index ?? start) + (closed?.[0].length ?? 0);
    trims = closed?.[1] !== undefined;
  }
}

function readAction(template: string, start: number) {
  const line = template.slice(0, start).split('\n').length;
  const tokens: TemplateToken[] = [];
  for (let at = start; ; ) {
    const closed = matchAt(CLOSE, template, at);
    if (closed !== null) return { tokens, line, closed };
    if (at >= template.length) throw new TemplateFault(line, '}} is missing');
    const [kind, text] = tokenAt(template, at) ?? [];
    if (kind === undefined || text === undefined) {
      throw new TemplateFault(line, `unexpected ${JSON.stringify(template[at])}`);
    }
    at += text.length;
    if (kind !== 'blank') tokens.push({ kind, text });
  }
}

function tokenAt(template: string, at: number) {
  for (const [kind, pattern] of PATTERNS) {
    const text = matchAt(pattern, template, at)?.[0];
    if (text !== undefined) return [kind, text] as const;
  }
  return undefined;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** A value in a template; null is what has no value. */
type TemplateValue = string | number | boolean | null;

/** A function that templates can call. It throws an `Error` whose message says why it cannot be done. */
type TemplateFunction = (...values: readonly TemplateValue[]) => TemplateValue;

/** The functions of hook files: those of Go's `text/template` that need no data, and those of webhook. */
function templateFunctions(
  env: Readonly<Record<string, string | undefined>>,
): ReadonlyMap<string, TemplateFunction> {
  const getenv = (name: string) => env[name] ?? '';
  const credential = (name: string) => {
    const directory = getenv('CREDENTIALS_DIRECTORY');
    return directory === '' ? getenv(name) : cat(join(directory, name));
  };
  return new Map<string, TemplateFunction>([
    ['getenv', (...values) => getenv(text(one(values)))],
    ['cat', (...values) => cat(text(one(values)))],
    ['credential', (...values) => credential(text(one(values)))],
    ['print', (...values) => printAll(values)],
    ['println', (...values) => `${values.map(printed).join(' ')}\n`],
    ['printf', (format, ...values) => formatted(text(format), values)],
    ['html', (...values) => escapeWith(printAll(values), HTML)],
    ['js', (...values) => escapeWith(printAll(values), JS)],
    ['urlquery', (...values) => urlQuery(printAll(values))],
    ['len', (...values) => Buffer.byteLength(text(one(values)))],
    ['not', (...values) => !isTrue(one(values))],
    ['and', (...values) => values.find((value) => !isTrue(value)) ?? values.at(-1) ?? null],
    ['or', (...values) => values.find(isTrue) ?? values.at(-1) ?? null],
    ['eq', (first, ...others) => others.some((other) => compare(first, other) === 0)],
    ['ne', (a, b) => compare(a, b) !== 0],
    ['lt', (a, b) => compare(a, b) < 0],
    ['le', (a, b) => compare(a, b) <= 0],
    ['gt', (a, b) => compare(a, b) > 0],
    ['ge', (a, b) => compare(a, b) >= 0],
  ]);
}

/** Whether a value counts as true: not empty, not zero, not nil. */
function isTrue(value: TemplateValue): boolean {
  return value !== null && value !== false && value !== 0 && value !== '';
}

/** The content of a file without the line feed at its end; empty where it cannot be read. */
function cat(path: string): string {
  try {
    return nameFromBytes(readRegularFileSync(nameToBytes(path))).replace(/\n$/, '');
  } catch {
    return '';
  }
}

const HTML: Readonly<Record<string, string>> = {
  '\0': '\ufffd',
  '"': '&#34;',
  "'": '&#39;',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
};
const JS: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  "'": "\\'",
  '"': '\\"',
  '<': '\\u003C',
  '>': '\\u003E',
  '&': '\\u0026',
  '=': '\\u003D',
};

function escapeWith(value: string, table: Readonly<Record<string, string>>): string {
  return value.replace(/[\0-\x1f"'&<>=\\]/g, (char) => {
    const known = table[char];
    if (known !== undefined) return known;
    if (table !== JS || char >= ' ') return char;
    return `\\u00${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
  });
}

function urlQuery(value: string): string {
  return encodeURIComponent(value.toWellFormed())
    .replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');
}

function formatted(format: string, values: readonly TemplateValue[]): string {
  const left = [...values];
  const text = format.replace(/%([-0]?)(\d*)([\s\S]?)/g, (all, flag, width, verb) => {
    if (verb === '%') return '%';
    const value = left.shift();
    if (value === undefined) throw new Error(`a value for ${all} is missing`);
    const shown = shownAs(verb, value);
    if (shown === undefined) throw new Error(`${all} is not supported for ${printed(value)}`);
    return flag === '-'
      ? shown.padEnd(Number(width))
      : shown.padStart(Number(width), flag || undefined);
  });
  if (left.length > 0) throw new Error('there are more values than verbs');
  return text;
}

function shownAs(verb: string, value: TemplateValue): string | undefined {
  const isText = typeof value === 'string';
  if (verb === 'v' || (verb === 's' && isText)) return printed(value);
  if (verb === 'q' && isText) return goQuote(value);
  if (verb === 'x' && isText) return nameToBytes(value).toString('hex');
  if (verb === 'd' && Number.isInteger(value)) return String(value);
  return verb === 't' && typeof value === 'boolean' ? String(value) : undefined;
}

function printed(value: TemplateValue): string {
  return value === null ? '<nil>' : String(value);
}

/** Blanks stand between two values of which none is a text, as Go's `Sprint` does. */
function printAll(values: readonly TemplateValue[]): string {
  return values
    .map((value, i) => {
      const before = values[i - 1];
      const apart = i > 0 && typeof value !== 'string' && typeof before !== 'string';
      return `${apart ? ' ' : ''}${printed(value)}`;
    })
    .join('');
}

function one(values: readonly TemplateValue[]): TemplateValue {
  const [value = null] = values;
  if (values.length !== 1) throw new Error(`expects one value, not ${values.length}`);
  return value;
}

function text(value: TemplateValue | undefined): string {
  if (typeof value === 'string') return value;
  throw new Error(`expects a string, not ${printed(value ?? null)}`);
}

function compare(a: TemplateValue | undefined, b: TemplateValue | undefined): number {
  if (a === undefined || b === undefined) throw new Error('expects two values');
  if (typeof a !== typeof b) throw new Error('expects values of one type');
  if (a === b) return 0;
  if (a === null || b === null || typeof a === 'boolean') return 1;
  return a < b ? -1 : 1;
}
