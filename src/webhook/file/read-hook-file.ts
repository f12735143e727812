import type * as Yaml from 'yaml';
import { nameFromBytes } from '../../core/name-bytes.ts';
import { decodeBase64 } from '../command/run-command.ts';

const STRING = 'tag:yaml.org,2002:str';
const BINARY = 'tag:yaml.org,2002:binary';
/** Tags that make a text in quotes what it is without them. */
const TYPES = /^tag:yaml\.org,2002:(?:null|bool|int|float)$/;
/** Aliases may not blow a small file up to more values than this. */
const MAX_NODES = 1_000_000;
/** Characters that go-yaml takes nowhere in a file. */
const CONTROL = /[\0-\x08\v\f\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]/;

/**
 * Reads the text of a hook file, YAML or JSON, which is taken as YAML. Of several documents the first counts.
 * Rejects with `HookFileFault`.
 */
export async function readHookFile(text: string): Promise<HookFileNode> {
  // The package is CommonJS: as a part of the bundle it has nothing but its default export.
  const { default: yaml } = (await import('yaml')) as unknown as { default: typeof Yaml };
  const unmarked = text.replace(/^\ufeff/, '');
  const { 0: control, index } = CONTROL.exec(unmarked) ?? { index: 0 };
  if (control !== undefined) {
    const lines = unmarked.slice(0, index).split('\n');
    const place = { line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
    const code = control.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    throw new HookFileFault(place, `control characters are not allowed: U+${code}`);
  }
  const { document, placeAt } = firstDocument(yaml, unmarked);
  if (document === undefined) return { kind: 'null', place: { line: 1, column: 1 } };
  return readNodes(yaml, document, placeAt);
}

/** Reads the values of a document. */
function readNodes(
  yaml: typeof Yaml,
  document: Yaml.Document,
  placeAt: (offset: number) => HookFilePlace,
): HookFileNode {
  const { isAlias, isScalar, isSeq, isMap, isNode } = yaml;
  const within = new Set<unknown>();
  let count = 0;
  const placeOf = (node: unknown): HookFilePlace => {
    const range = isNode(node) ? node.range : undefined;
    return range ? placeAt(range[0]) : { line: 1, column: 1 };
  };
  const scalar = (node: Yaml.Scalar) => {
    const text = typeof node.value === 'string' ? node.value : (node.source ?? '');
    if (node.tag === BINARY) {
      const { bytes, fault } = decodeBase64(text);
      if (fault === undefined) return { kind: 'text', text: nameFromBytes(bytes) } as const;
      throw new HookFileFault(placeOf(node), '!!binary value contains invalid base64 data');
    }
    const isPlain = node.type === undefined || node.type === 'PLAIN';
    const plain = TYPES.test(node.tag ?? '') || (isPlain && node.tag !== STRING);
    return plain ? plainScalar(text) : ({ kind: 'text', text } as const);
  };
  /** The members of a mapping in their order; those that `<<` brings stand before its own. */
  const membersOf = (map: Yaml.YAMLMap) => {
    const own: (readonly [string, HookFileNode])[] = [];
    const merged: (readonly [string, HookFileNode])[] = [];
    for (const pair of map.items) {
      const key = read(pair.key);
      const value =
        pair.value === null ? { place: key.place, kind: 'null' as const } : read(pair.value);
      const isMerge = isScalar(pair.key) && pair.key.type === 'PLAIN' && pair.key.value === '<<';
      if (!isMerge) own.push([keyText(key), value]);
      else for (const member of mergedMembers(value)) merged.push(member);
    }
    return [...merged, ...own];
  };
  /** Guards against an anchor that holds itself. */
  const once = <T>(node: unknown, place: HookFilePlace, work: () => T): T => {
    if (within.has(node)) throw new HookFileFault(place, 'an anchor contains itself');
    // Anchors can add up to more than the text shows.
    if (within.size >= MAX_DEPTH) throw new HookFileFault(place, TOO_DEEP);
    within.add(node);
    try {
      return work();
    } finally {
      within.delete(node);
    }
  };
  const read = (node: unknown): HookFileNode => {
    const place = placeOf(node);
    if (++count > MAX_NODES) throw new HookFileFault(place, 'the file holds too many values');
    if (isAlias(node)) {
      const target = node.resolve(document);
      if (target === undefined) throw new HookFileFault(place, `unknown anchor '${node.source}'`);
      return read(target);
    }
    if (isScalar(node)) return { place, ...scalar(node) };
    if (isSeq(node)) {
      return { place, kind: 'list', items: once(node, place, () => node.items.map(read)) };
    }
    if (isMap(node)) {
      return { place, kind: 'map', members: once(node, place, () => membersOf(node)) };
    }
    return { place, kind: 'null' };
  };
  return read(document.contents);
}

function mergedMembers(value: HookFileNode): (readonly [string, HookFileNode])[] {
  if (value.kind === 'map') return [...value.members];
  // Of several mappings the first wins, so it comes last.
  if (value.kind === 'list') return value.items.toReversed().flatMap(mergedMembers);
  throw new HookFileFault(value.place, 'map merge requires map or sequence of maps as the value');
}

function keyText(key: HookFileNode): string {
  if (key.kind === 'text' || key.kind === 'number') return key.text;
  if (key.kind === 'bool') return String(key.value);
  if (key.kind === 'null') return 'null';
  throw new HookFileFault(key.place, 'a key must be a string');
}

const NULL = /^(?:|~|null|Null|NULL)$/;
const TRUE = /^(?:y|Y|yes|Yes|YES|on|On|ON|true|True|TRUE)$/;
const FALSE = /^(?:n|N|no|No|NO|off|Off|OFF|false|False|FALSE)$/;
const BASED = /^([-+]?)0(?:([xX])([0-9a-fA-F]+)|([bB])([01]+)|[oO]?([0-7]+))$/;
const WHOLE = /^[-+]?(?:0|[1-9]\d*)$/;
const INFINITY = /^([-+]?)\.(?:inf|Inf|INF)$/;
const NOT_A_NUMBER = /^\.(?:nan|NaN|NAN)$/;
const FLOAT = /^[-+]?[0-9]*\.?[0-9]+(?:[eE][-+][0-9]+)?$/;

/** Reads a word as go-yaml 2 does (YAML 1.1, but times and dates stay text). */
function plainScalar(word: string) {
  if (NULL.test(word)) return { kind: 'null' } as const;
  if (TRUE.test(word)) return { kind: 'bool', value: true } as const;
  if (FALSE.test(word)) return { kind: 'bool', value: false } as const;
  const value = /^[-+.\d]/.test(word) ? numberIn(word.replaceAll('_', '')) : undefined;
  if (value === undefined) return { kind: 'text', text: word } as const;
  return { kind: 'number', value: Number(value), text: numberText(value) } as const;
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

/** A value of a hook file, with where it stands. */
export type HookFileNode = { readonly place: HookFilePlace } & (
  | { readonly kind: 'null' }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'number'; readonly value: number; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly HookFileNode[] }
  | { readonly kind: 'map'; readonly members: readonly (readonly [key: string, HookFileNode])[] }
);

/** A place in a file, counted from 1. */
export interface HookFilePlace {
  readonly line: number;
  readonly column: number;
}

/** What is wrong in a hook file, and where. */
export class HookFileFault extends Error {
  /** Files that the hook file refers to, as far as it was read: when one changes it may be right. */
  references: readonly string[] = [];

  constructor(place: HookFilePlace, text: string) {
    super(`line ${place.line}, column ${place.column}: ${text}`);
  }
}

/** Levels that values may nest; those who read them call themselves for each. */
const MAX_DEPTH = 500;
/** What is wrong where values nest deeper than that. */
const TOO_DEEP = `values are nested too deeply: more than ${MAX_DEPTH} levels`;
/** A line that was taken out with `//`, with its key: an unknown key, as the writer meant. */
const LEFT_OUT = /^\/\/[^:\n]*$/;
const MERGED_KEY = 'not a key; comments begin with #';
/** What go-yaml does not mind. */
const TIGHT_COMMENT = 'Comments must be separated from other tokens by white space characters';
/** What the lexer of `yaml` gives besides the text. */
const MARK = /^[\x02\x18\x1f]/;
const QUOTE = /["']/;

/** The part of that lexer which says how far the next line must be indented. */
interface LexerState {
  lex(text: string): Iterable<string>;
  readonly flowLevel: number;
  indentNext: number;
}

type Item = Yaml.CST.FlowCollection['items'][number];

type Token = Yaml.CST.Token | null | undefined;

/**
 * Takes the first document of a text apart, with the escapes that go-yaml knows; there is none where the file holds
 * nothing. Throws `HookFileFault`.
 */
function firstDocument(yaml: typeof Yaml, text: string) {
  const lines = new yaml.LineCounter();
  const placeAt = (offset: number): HookFilePlace => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const compose = (tokens: Yaml.CST.Token[]) => {
    for (const token of tokens) prepare(token, placeAt);
    const composer = new yaml.Composer({
      version: '1.1',
      schema: 'failsafe',
      uniqueKeys: false,
      strict: true,
    });
    const [document] = composer.compose(tokens);
    return { document, fault: document?.errors.find(({ message }) => message !== TIGHT_COMMENT) };
  };
  const { document, fault } = compose([...new yaml.Parser(lines.addNewLine).parse(text)]);
  if (fault === undefined) return { document, placeAt };
  const loose = compose([...looseTokens(yaml, text)]);
  if (loose.fault === undefined) return { document: loose.document, placeAt };
  throw new HookFileFault(placeAt(fault.pos[0]), fault.message);
}

/**
 * The tokens of a text in which lines within brackets and quotes may be indented by any number of blanks, as go-yaml
 * has it. The lexer has no option for that: it compares the indentation with `indentNext`.
 */
function* looseTokens(yaml: typeof Yaml, text: string): Generator<Yaml.CST.Token> {
  const lexer = new yaml.Lexer() as unknown as LexerState;
  const parser = new yaml.Parser();
  let outside: number | undefined;
  let at = 0;
  for (const lexeme of lexer.lex(text)) {
    if (!MARK.test(lexeme)) at += lexeme.length;
    if (lexer.flowLevel > 0 || QUOTE.test(text.charAt(at))) {
      outside ??= lexer.indentNext;
      lexer.indentNext = 0;
    } else {
      if (lexer.indentNext === 0) lexer.indentNext = outside ?? 0;
      outside = undefined;
    }
    yield* parser.next(lexeme);
  }
  yield* parser.end();
}

/** Makes tokens fit for the composer, which calls itself for each level. */
function prepare(root: Token, placeAt: (offset: number) => HookFilePlace): void {
  const waiting: [token: Token, depth: number][] = [[root, 0]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [token, depth] = next;
    if (token === null || token === undefined) continue;
    if (depth > MAX_DEPTH) throw new HookFileFault(placeAt(token.offset), TOO_DEEP);
    // `\'` is an escape of go-yaml, and what Go's template function `js` writes, but none of YAML.
    if (token.type === 'double-quoted-scalar' && token.source.includes("\\'")) {
      const known = (pair: string) => (pair === "\\'" ? '\\x27' : pair);
      token.source = token.source.replace(/\\[\s\S]/g, known);
    }
    if (token.type === 'document') waiting.push([token.value, depth]);
    if (!('items' in token)) continue;
    const isBraces = token.type === 'flow-collection' && token.start.source === '{';
    for (const item of token.items) {
      waiting.push([item.value, depth + 1], [item.key, depth + 1]);
      if (isBraces) refuseMergedKey(item, placeAt);
    }
  }
}

/**
 * Refuses what a comment with `//` or `/*` makes of the key behind it: one over two lines, or with a quote or a colon
 * in it. As an unknown key, it would take a hook's rule away. go-yaml takes only the one with a quote.
 */
function refuseMergedKey({ start, key }: Item, placeAt: (offset: number) => HookFilePlace): void {
  if (!key || !('source' in key) || start.some(({ type }) => type === 'explicit-key-ind')) return;
  const isMerged = key.type === 'scalar' ? /[:"\n]/ : /\n/;
  if (isMerged.test(key.source) && !LEFT_OUT.test(key.source))
    throw new HookFileFault(placeAt(key.offset), MERGED_KEY);
}
