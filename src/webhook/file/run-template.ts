import { join } from 'node:path';
import { nameFromBytes, nameToBytes } from '../../core/name-bytes.ts';
import { goQuote } from '../../go/go-texts.ts';
import { readRegularFileSync } from '../../system/read-whole.ts';

/** A value in a template: a hook file is given no data, so lists, fields and `nil` do not occur. */
type TemplateValue = string | number | boolean;

/** A function that templates can call. It throws an `Error` whose message says why it cannot be done. */
type TemplateFunction = (...values: readonly TemplateValue[]) => TemplateValue;

/**
 * The content of a hook file that is a template of Go: text, comments, `if` and `else`, and pipes of functions.
 * Throws `TemplateFault`.
 */
export function runTemplate(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
): string {
  return new TemplateReader(text, templateFunctions(env)).whole();
}

/** Reads a template from start to end, and calls its functions where it is not in a branch that is left out. */
class TemplateReader {
  readonly #template: string;
  readonly #pieces: readonly TemplatePiece[];
  readonly #functions: ReadonlyMap<string, TemplateFunction>;
  #at = 0;
  /** The rest of the current action. */
  #tokens: readonly TemplateToken[] = [];
  /** The start of the last word that was read. */
  #start = 0;
  #isLeftOut = false;

  constructor(template: string, functions: ReadonlyMap<string, TemplateFunction>) {
    this.#template = template;
    this.#pieces = tokenize(template);
    this.#functions = functions;
  }

  whole(): string {
    const { text, stop } = this.#list();
    if (stop !== undefined) throw this.#fault(`unexpected {{${stop}}}`);
    return text;
  }

  /** Reads up to `{{end}}`, `{{else}}` or the end of the file. */
  #list(): { readonly text: string; readonly stop?: string } {
    let text = '';
    while (true) {
      const piece = this.#pieces[this.#at++];
      if (piece === undefined) return { text };
      if ('text' in piece) {
        text += piece.text;
        continue;
      }
      this.#tokens = piece.tokens;
      this.#start = piece.start;
      const [word] = piece.tokens;
      if (word?.text === 'end' || word?.text === 'else') {
        this.#take();
        return { text, stop: word.text };
      }
      text += this.#takes('if') ? this.#branch() : this.#wholePipe();
    }
  }

  #branch(): string {
    const isMet = isTrue(this.#wholePipe());
    const isLeftOut = this.#isLeftOut;
    this.#isLeftOut ||= !isMet;
    const then = this.#list();
    this.#isLeftOut = isLeftOut || isMet;
    let otherwise = '';
    if (then.stop === 'else' && this.#takes('if')) otherwise = this.#branch();
    else if (then.stop === 'else') {
      this.#expectEnd();
      const rest = this.#list();
      if (rest.stop !== 'end') throw this.#fault('{{end}} of {{if}} is missing');
      otherwise = rest.text;
    } else if (then.stop === undefined) throw this.#fault('{{end}} of {{if}} is missing');
    this.#isLeftOut = isLeftOut;
    return isMet ? then.text : otherwise;
  }

  #wholePipe(): TemplateValue {
    const value = this.#pipe();
    this.#expectEnd();
    return value;
  }

  #pipe(): TemplateValue {
    let value = this.#command();
    while (this.#takes('|')) value = this.#command(value);
    return value;
  }

  /** A function with its arguments, of which `piped` is the last, or a single value. */
  #command(piped?: TemplateValue): TemplateValue {
    const [token] = this.#tokens;
    if (token?.kind !== 'word' || CONSTANTS.has(token.text)) {
      if (piped !== undefined) throw this.#fault('a function is missing behind |');
      const value = this.#operand();
      if (value === undefined) throw this.#fault('a value is missing');
      return value;
    }
    this.#take();
    const call = this.#function(token.text);
    const given: TemplateValue[] = [];
    for (let next = this.#operand(); next !== undefined; next = this.#operand()) given.push(next);
    return call(...given, ...(piped === undefined ? [] : [piped]));
  }

  #function(name: string): TemplateFunction {
    const found = this.#functions.get(name);
    if (found === undefined) throw this.#fault(notSupported(name));
    if (this.#isLeftOut) return () => '';
    const start = this.#start;
    return (...values) => {
      try {
        return found(...values);
      } catch (thrown) {
        this.#start = start;
        throw this.#fault(`${name}: ${(thrown as Error).message}`);
      }
    };
  }

  #operand(): TemplateValue | undefined {
    const token = this.#tokens[0];
    if (token === undefined || (token.kind === 'mark' && token.text !== '(')) return undefined;
    this.#take();
    if (token.kind === 'mark') {
      const value = this.#pipe();
      if (!this.#takes(')')) throw this.#fault(') is missing');
      return value;
    }
    const { text } = token;
    if (token.kind !== 'literal') return CONSTANTS.get(text) ?? this.#function(text)();
    if (text.startsWith('`')) return text.slice(1, -1).replaceAll('\r', '');
    try {
      return JSON.parse(text.replace(/^\+/, ''));
    } catch {
      throw this.#fault(`${text} is neither a string nor a number`);
    }
  }

  #take(): void {
    this.#start = this.#tokens[0]?.start ?? this.#start;
    this.#tokens = this.#tokens.slice(1);
  }

  #takes(text: string): boolean {
    const isNext = this.#tokens[0]?.text === text;
    if (isNext) this.#take();
    return isNext;
  }

  #expectEnd(): void {
    const [rest] = this.#tokens;
    if (rest === undefined) return;
    this.#start = rest.start;
    throw this.#fault(`unexpected ${rest.text}`);
  }

  #fault(text: string): TemplateFault {
    return new TemplateFault(this.#template, this.#start, text);
  }
}

const CONSTANTS: ReadonlyMap<string, TemplateValue> = new Map([
  ['true', true],
  ['false', false],
]);

/** What Go's templates have besides. */
const OF_GO: readonly (readonly [names: RegExp, why: string])[] = [
  [/^\$/, 'they have no variables'],
  [/^(?:\.|nil$)/, 'they get no data'],
  [/^(?:with|range|define|block|template|break|continue)$/, 'of the actions they have if and else'],
  [/^(?:len|index|slice|lt|le|gt|ge|html|urlquery|println|call)$/, 'they lack this function of Go'],
];

function notSupported(name: string): string {
  const [, why] = OF_GO.find(([names]) => names.test(name)) ?? ['', 'there is no such function'];
  return `${name} is not supported in hook files: ${why}`;
}

/** A fault of a template, with its place. */
class TemplateFault extends Error {
  /** @param start where it is in the template */
  constructor(template: string, start: number, text: string) {
    const lines = template.slice(0, start).split('\n');
    const column = (lines.at(-1)?.length ?? 0) + 1;
    super(`template, line ${lines.length}, column ${column}: ${text}`);
  }
}

/** A word of an action. */
interface TemplateToken {
  readonly kind: 'word' | 'literal' | 'mark';
  readonly text: string;
  readonly start: number;
}

/** A template is text and actions. */
type TemplatePiece =
  | { readonly text: string }
  | { readonly tokens: readonly TemplateToken[]; readonly start: number };

const PATTERNS: readonly (readonly [TemplateToken['kind'] | 'blank', RegExp])[] = [
  ['blank', /[ \t\r\n]+/y],
  ['literal', /"(?:[^"\\\n]|\\[^\n])*"|`[^`]*`|[-+]?\.?\d[\w.]*/y],
  ['word', /[$.]?[\p{L}_][\p{L}\p{N}_.]*|[$.]/uy],
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
  const tokens: TemplateToken[] = [];
  for (let at = start; ; ) {
    const closed = matchAt(CLOSE, template, at);
    if (closed !== null) return { tokens, start, closed };
    if (at >= template.length) throw new TemplateFault(template, start, '}} is missing');
    const from = at;
    const found = PATTERNS.find(([, pattern]) => matchAt(pattern, template, from) !== null);
    if (found === undefined) {
      throw new TemplateFault(template, at, `unexpected ${JSON.stringify(template[at])}`);
    }
    const [kind, pattern] = found;
    // A sticky pattern that matched stands behind its match.
    at = pattern.lastIndex;
    if (kind !== 'blank') tokens.push({ kind, text: template.slice(from, at), start: from });
  }
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** The functions of hook files: those of webhook, and of Go's `text/template` those that its users pair with them. */
function templateFunctions(env: Readonly<Record<string, string | undefined>>) {
  const getenv = (name: string) => env[name] ?? '';
  const credential = (name: string) => {
    const directory = getenv('CREDENTIALS_DIRECTORY');
    return directory === '' ? getenv(name) : cat(join(directory, name));
  };
  return new Map<string, TemplateFunction>([
    ['getenv', (...values) => getenv(oneText(values))],
    ['cat', (...values) => cat(oneText(values))],
    ['credential', (...values) => credential(oneText(values))],
    [
      'js',
      (...values) => {
        const quoted = printAll(values).replace(/["'\\]/g, '\\$&');
        return quoted.replace(/[\0-\x1f<>&=]/g, (char) => {
          return `\\u00${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
        });
      },
    ],
    ['print', (...values) => printAll(values)],
    ['printf', (format = '', ...values) => formatted(String(format), values)],
    ['not', (...values) => !isTrue(one(values))],
    ['and', (...values) => values.find((value) => !isTrue(value)) ?? values.at(-1) ?? false],
    ['or', (...values) => values.find(isTrue) ?? values.at(-1) ?? false],
    ['eq', (first, ...others) => others.includes(first ?? '')],
    ['ne', (a, b) => a !== b],
  ]);
}

/** Whether a value counts as true: not empty, not zero. */
const isTrue = (value: TemplateValue): boolean => value !== false && value !== 0 && value !== '';

/** The content of a file without the line feed at its end; empty where it cannot be read. */
function cat(path: string): string {
  try {
    return nameFromBytes(readRegularFileSync(nameToBytes(path))).replace(/\n$/, '');
  } catch {
    return '';
  }
}

function formatted(format: string, values: readonly TemplateValue[]): string {
  const left = [...values];
  const text = format.replace(/%([\s\S]?)/g, (all, verb) => {
    if (verb === '%') return '%';
    const value = left.shift();
    if (value === undefined) throw new Error(`a value for ${all} is missing`);
    const isText = typeof value === 'string';
    if (verb === 'v' || (verb === 's' && isText)) return String(value);
    if (verb === 'd' && Number.isInteger(value)) return String(value);
    if (verb === 'q' && isText) return goQuote(value);
    throw new Error(`${all} is not supported for ${value}`);
  });
  if (left.length > 0) throw new Error('there are more values than verbs');
  return text;
}

/** Blanks stand between two values of which none is a text, as Go's `Sprint` does. */
function printAll(values: readonly TemplateValue[]): string {
  return values
    .map((value, i) => {
      const before = values[i - 1];
      const apart = i > 0 && typeof value !== 'string' && typeof before !== 'string';
      return `${apart ? ' ' : ''}${value}`;
    })
    .join('');
}

function one(values: readonly TemplateValue[]): TemplateValue {
  const [value = ''] = values;
  if (values.length !== 1) throw new Error(`expects one value, not ${values.length}`);
  return value;
}

function oneText(values: readonly TemplateValue[]): string {
  const value = one(values);
  if (typeof value === 'string') return value;
  throw new Error(`expects a string, not ${value}`);
}
