import type { HookFileNode } from './file-node.ts';

/** What an unquoted word of a hook file means. */
export type PlainValue =
  | { readonly kind: 'null' }
  | { readonly kind: 'bool'; readonly value: boolean }
  | Omit<Extract<HookFileNode, { kind: 'number' }>, 'place'>
  | { readonly kind: 'text'; readonly text: string };

const NULL = /^(?:|~|null|Null|NULL)$/;
const TRUE = /^(?:y|Y|yes|Yes|YES|on|On|ON|true|True|TRUE)$/;
const FALSE = /^(?:n|N|no|No|NO|off|Off|OFF|false|False|FALSE)$/;
const BASED = /^([-+]?)0(?:([xX])([0-9a-fA-F]+)|([bB])([01]+)|[oO]?([0-7]+))$/;
const WHOLE = /^[-+]?(?:0|[1-9]\d*)$/;
const INFINITY = /^([-+]?)\.(?:inf|Inf|INF)$/;
const NOT_A_NUMBER = /^\.(?:nan|NaN|NAN)$/;
const FLOAT = /^[-+]?[0-9]*\.?[0-9]+(?:[eE][-+][0-9]+)?$/;

/** Reads a word as go-yaml 2 does (YAML 1.1, but times and dates stay text). */
export function plainScalar(word: string): PlainValue {
  if (NULL.test(word)) return { kind: 'null' };
  if (TRUE.test(word)) return { kind: 'bool', value: true };
  if (FALSE.test(word)) return { kind: 'bool', value: false };
  const value = /^[-+.\d]/.test(word) ? numberIn(word.replaceAll('_', '')) : undefined;
  return value === undefined
    ? { kind: 'text', text: word }
    : { kind: 'number', value: Number(value), text: numberText(value) };
}

function numberIn(word: string): number | bigint | undefined {
  const based = BASED.exec(word);
  if (based !== null) {
    const [, sign, x, hex, b, binary, octal] = based;
    const digits = x ? `0x${hex}` : b ? `0b${binary}` : `0o${octal}`;
    const value = BigInt(digits);
    return sign === '-' ? -value : value;
  }
  if (WHOLE.test(word)) {
    const value = BigInt(word.replace(/^\+/, ''));
    const fits = value < 1n << 64n && value >= -(1n << 63n);
    return fits ? value : Number(word);
  }
  const infinity = INFINITY.exec(word);
  if (infinity !== null) return infinity[1] === '-' ? -Infinity : Infinity;
  if (NOT_A_NUMBER.test(word)) return Number.NaN;
  return FLOAT.test(word) ? Number(word) : undefined;
}

/** A number where text is wanted: whole ones as they are, others in the precision of a 32-bit float. */
function numberText(value: number | bigint): string {
  if (typeof value === 'bigint') return String(value);
  const single = Math.fround(value);
  if (Number.isNaN(single)) return 'NaN';
  if (Object.is(single, -0)) return '-0';
  if (!Number.isFinite(single)) return single < 0 ? '-Inf' : '+Inf';
  for (let digits = 1; digits <= 9; digits++) {
    const text = single.toPrecision(digits);
    if (Math.fround(Number(text)) === single) return goFloatText(Number(text));
  }
  return goFloatText(single);
}

/** As Go's `strconv.FormatFloat` has it with the format `g` and as few digits as are needed. */
function goFloatText(value: number): string {
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  const digits = String(Math.abs(power)).padStart(2, '0');
  return `${mantissa}e${power < 0 ? '-' : '+'}${digits}`;
}
