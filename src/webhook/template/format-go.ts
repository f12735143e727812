import { goQuote } from '../../go/go-quote.ts';
import { printed } from './printed.ts';
import type { TemplateValue } from './template-node.ts';

const VERB = /%([-+# 0]*)(\d+)?(?:\.(\d+))?(?:\[(\d+)\])?([a-zA-Z%])/g;

/** `printf` of Go for the values that templates have. */
export function formatGo(format: string, values: readonly TemplateValue[]): string {
  let next = 0;
  let isReordered = false;
  const text = format.replace(VERB, (_, flags: string, width, precision, index, verb: string) => {
    if (verb === '%') return '%';
    if (index !== undefined) {
      isReordered = true;
      next = Number(index) - 1;
      if (next < 0 || next >= values.length) return `%!${verb}(BADINDEX)`;
    }
    const value = values[next++];
    if (value === undefined) return `%!${verb}(MISSING)`;
    const shown = showAs(verb, value, precision === undefined ? undefined : Number(precision));
    const size = Number(width ?? 0);
    if (flags.includes('-')) return shown.padEnd(size);
    return flags.includes('0') && typeof value === 'number'
      ? shown.padStart(size, '0')
      : shown.padStart(size);
  });
  if (isReordered) return text;
  const extra = values.slice(next).map((value) => `${typeOf(value)}=${printed(value)}`);
  return extra.length === 0 ? text : `${text}%!(EXTRA ${extra.join(', ')})`;
}

function showAs(verb: string, value: TemplateValue, precision: number | undefined): string {
  if (verb === 'v') return printed(value);
  if (verb === 'T') return typeOf(value);
  if (typeof value === 'string') {
    if (verb === 's')
      return precision === undefined ? value : [...value].slice(0, precision).join('');
    if (verb === 'q') return goQuote(value);
    if (verb === 'x') return Buffer.from(value).toString('hex');
    if (verb === 'X') return Buffer.from(value).toString('hex').toUpperCase();
  }
  if (typeof value === 'number') {
    if (verb === 'd' && Number.isInteger(value)) return String(value);
    if (verb === 'f' || verb === 'F') return value.toFixed(precision ?? 6);
    if (verb === 'x') return value.toString(16);
    if (verb === 'X') return value.toString(16).toUpperCase();
    if (verb === 'o') return value.toString(8);
    if (verb === 'b') return value.toString(2);
    if (verb === 'c') return String.fromCodePoint(value);
  }
  if (typeof value === 'boolean' && verb === 't') return String(value);
  if (value === null) return `%!${verb}(<nil>)`;
  return `%!${verb}(${typeOf(value)}=${printed(value)})`;
}

function typeOf(value: TemplateValue): string {
  if (value === null) return '<nil>';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}
