import type * as Yaml from 'yaml';
import { HookFileFault, type HookFilePlace } from './file-node.ts';

/** Levels that values may nest; those who read them call themselves for each. */
export const MAX_DEPTH = 500;

/** What is wrong where values nest deeper than that. */
export const TOO_DEEP = `values are nested too deeply: more than ${MAX_DEPTH} levels`;

const MERGED_KEY = 'not a key; comments begin with #';

/** A file that was taken apart. */
interface YamlText {
  /** Absent where the file holds nothing. */
  readonly document: Yaml.Document | undefined;
  readonly placeAt: (offset: number) => HookFilePlace;
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
  const tokens = [...new yaml.Parser(lines.addNewLine).parse(text)];
  for (const token of tokens) prepare(token, placeAt);
  const composer = new yaml.Composer({
    ...{ version: '1.1', schema: 'failsafe', uniqueKeys: false, strict: true },
  });
  const [document] = composer.compose(tokens);
  const [fault] = document?.errors ?? [];
  if (fault !== undefined) throw new HookFileFault(placeAt(fault.pos[0]), fault.message);
  return { document, placeAt };
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
  if (isMerged.test(key.source)) throw new HookFileFault(placeAt(key.offset), MERGED_KEY);
}

/** `\'` is an escape of go-yaml, and what Go's template function `js` writes, but none of YAML. */
function withKnownEscapes(source: string): string {
  if (!source.includes("\\'")) return source;
  return source.replace(/\\[\s\S]/g, (pair) => (pair === "\\'" ? '\\x27' : pair));
}
