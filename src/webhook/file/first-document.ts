import type * as Yaml from 'yaml';
import { HookFileFault, type HookFilePlace } from './file-node.ts';

/** Levels that values may nest; those who read them call themselves for each. */
export const MAX_DEPTH = 500;

/** What is wrong where values nest deeper than that. */
export const TOO_DEEP = `values are nested too deeply: more than ${MAX_DEPTH} levels`;

/** A line that was taken out with `//`, with its key: an unknown key, as the writer meant. */
const LEFT_OUT = /^\/\/[^:\n]*$/;

const MERGED_KEY = 'not a key; comments begin with #';

/** A file that was taken apart. */
interface YamlText {
  /** Absent where the file holds nothing. */
  readonly document: Yaml.Document | undefined;
  readonly placeAt: (offset: number) => HookFilePlace;
}

/** What go-yaml does not mind. */
const TIGHT_COMMENT = 'Comments must be separated from other tokens by white space characters';

/** What the lexer of `yaml` gives besides the text. */
const CONTROL = /^[\x02\x18\x1f]/;
const QUOTE = /["']/;

/** The part of that lexer which says how far the next line must be indented. */
interface LexerState {
  lex(text: string): Iterable<string>;
  readonly flowLevel: number;
  indentNext: number;
}

type Item = Yaml.CST.FlowCollection['items'][number];

type Token = Yaml.CST.Token | null | undefined;

/** Takes the first document of a text apart, with the escapes that go-yaml knows. Throws `HookFileFault`. */
export function firstDocument(yaml: typeof Yaml, text: string): YamlText {
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
  const strict = compose([...new yaml.Parser(lines.addNewLine).parse(text)]);
  if (strict.fault === undefined) return { document: strict.document, placeAt };
  const loose = compose([...looseTokens(yaml, text)]);
  if (loose.fault === undefined) return { document: loose.document, placeAt };
  throw new HookFileFault(placeAt(strict.fault.pos[0]), strict.fault.message);
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
    if (!CONTROL.test(lexeme)) at += lexeme.length;
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
    if (token.type === 'double-quoted-scalar') token.source = withKnownEscapes(token.source);
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

/** `\'` is an escape of go-yaml, and what Go's template function `js` writes, but none of YAML. */
function withKnownEscapes(source: string): string {
  if (!source.includes("\\'")) return source;
  return source.replace(/\\[\s\S]/g, (pair) => (pair === "\\'" ? '\\x27' : pair));
}
