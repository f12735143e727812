import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nameFromBytes, nameToBytes } from '../../core/name-bytes.ts';
import { formatGo } from './format-go.ts';
import { isTrue } from './is-true.ts';
import { printed } from './printed.ts';
import type { TemplateValue } from './template-node.ts';

/** A function that templates can call. It throws an `Error` whose message says why it cannot be done. */
export type TemplateFunction = (...values: readonly TemplateValue[]) => TemplateValue;

/** The functions of hook files: those of Go's `text/template`, and `getenv`, `cat` and `credential` of webhook. */
export function templateFunctions(
  env: Readonly<Record<string, string | undefined>>,
): ReadonlyMap<string, TemplateFunction> {
  const getenv = (name: string) => env[name] ?? '';
  const credential = (name: string) => {
    const folder = getenv('CREDENTIALS_DIRECTORY');
    return folder === '' ? getenv(name) : cat(join(folder, name));
  };
  return new Map<string, TemplateFunction>([
    ['getenv', (...values) => getenv(text(one(values)))],
    ['cat', (...values) => cat(text(one(values)))],
    ['credential', (...values) => credential(text(one(values)))],
    ['print', (...values) => printAll(values)],
    ['println', (...values) => `${values.map(printed).join(' ')}\n`],
    ['printf', (format, ...values) => formatGo(text(format), values)],
    ['html', (...values) => escapeWith(printAll(values), HTML)],
    ['js', (...values) => escapeWith(printAll(values), JS)],
    ['urlquery', (...values) => urlQuery(printAll(values))],
    ['len', (...values) => Buffer.byteLength(text(one(values)))],
    ['index', indexOf],
    ['slice', slice],
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

/** The content of a file without the line feed at its end; empty where it cannot be read. */
function cat(path: string): string {
  try {
    return nameFromBytes(readFileSync(nameToBytes(path))).replace(/\n$/, '');
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
  if (values.length !== 1) throw new Error(`wrong number of args: want 1 got ${values.length}`);
  return value;
}

function text(value: TemplateValue | undefined): string {
  if (typeof value === 'string') return value;
  throw new Error(`wrong type for value; expected string; got ${printed(value ?? null)}`);
}

function indexOf(...[value, ...indices]: readonly TemplateValue[]): TemplateValue {
  if (value === null || value === undefined) throw new Error('index of untyped nil');
  const bytes = Buffer.from(text(value));
  const [index] = indices;
  if (index === undefined) return value;
  const byte = typeof index === 'number' ? bytes[index] : undefined;
  if (byte === undefined) throw new Error(`index out of range: ${printed(index)}`);
  return byte;
}

function slice(...[value, from = 0, to]: readonly TemplateValue[]): TemplateValue {
  const bytes = Buffer.from(text(value));
  const end = to ?? bytes.length;
  if (typeof from !== 'number' || typeof end !== 'number' || from > end || end > bytes.length) {
    throw new Error(`index out of range: ${printed(from)}`);
  }
  return bytes.toString('utf8', from, end);
}

function compare(a: TemplateValue | undefined, b: TemplateValue | undefined): number {
  if (a === undefined || b === undefined) throw new Error('missing argument for comparison');
  if (typeof a !== typeof b) throw new Error('incompatible types for comparison');
  if (a === b) return 0;
  if (a === null || b === null || typeof a === 'boolean') return 1;
  return a < b ? -1 : 1;
}
