import { join } from 'node:path';
import { nameFromBytes, nameToBytes } from '../../core/name-bytes.ts';
import { readRegularFileSync } from '../../files/read-whole.ts';
import { goQuote } from '../../go/go-texts.ts';

/** A value in a template; null is what has no value. */
export type TemplateValue = string | number | boolean | null;

/** A function that templates can call. It throws an `Error` whose message says why it cannot be done. */
export type TemplateFunction = (...values: readonly TemplateValue[]) => TemplateValue;

/** The functions of hook files: those of Go's `text/template` that need no data, and those of webhook. */
export function templateFunctions(
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
export function isTrue(value: TemplateValue): boolean {
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
  ...{ '\0': '\ufffd', '"': '&#34;', "'": '&#39;', '&': '&amp;', '<': '&lt;', '>': '&gt;' },
};
const JS: Readonly<Record<string, string>> = {
  ...{ '\\': '\\\\', "'": "\\'", '"': '\\"', '<': '\\u003C', '>': '\\u003E', '&': '\\u0026' },
  ...{ '=': '\\u003D' },
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
