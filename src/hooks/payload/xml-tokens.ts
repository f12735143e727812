import { GoFault } from '../go/go-fault.ts';

/** A piece of an XML document that matters to its reader. */
export type XmlToken =
  | {
      readonly kind: 'open';
      /** Without the prefix of a namespace. */
      readonly name: string;
      readonly attributes: readonly (readonly [name: string, value: string])[];
      /** Closed at once: `<a/>`. */
      readonly empty: boolean;
    }
  | { readonly kind: 'close' }
  | { readonly kind: 'text'; readonly text: string };

const NAME = String.raw`[\p{L}_:][\p{L}\p{N}\p{M}_:.\-\u00b7]*`;
const SKIPPED = /<\?([\s\S]*?)\?>|<!--([\s\S]*?)-->/y;
const CDATA = /<!\[CDATA\[([\s\S]*?)\]\]>/y;
const DIRECTIVE = /<![^-[]/y;
const OPEN = new RegExp(`<(${NAME})`, 'yu');
const CLOSE = new RegExp(String.raw`</(${NAME})\s*>`, 'yu');
const ATTRIBUTE = new RegExp(String.raw`\s*(${NAME})\s*=\s*(?:"([^"<]*)"|'([^'<]*)')`, 'yu');
const TAG_END = /\s*(\/?)>/y;
const TEXT = /[^<]+/y;
const ENTITY = /&(#x[0-9a-fA-F]+|#\d+|[^;&<]*)(;?)/g;
const ENTITIES: Readonly<Record<string, string>> = {
  ...{ lt: '<', gt: '>', amp: '&', apos: "'", quot: '"' },
};

/**
 * The tokens of a document up to the end of its root; what follows is not looked at. Strict: throws `GoFault` for
 * tags that do not fit, unknown entities and a declared encoding other than UTF-8.
 */
export function* xmlTokens(text: string): Generator<XmlToken> {
  const open: string[] = [];
  let at = 0;
  let started = false;
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match !== null) at += match[0].length;
    return match;
  };
  const fault = (why: string) => {
    const line = text.slice(0, at).split('\n').length;
    return new GoFault(`xml.Decoder.Token() - XML syntax error on line ${line}: ${why}`);
  };
  while (!started || open.length > 0) {
    if (at >= text.length) {
      throw open.length > 0 ? fault('unexpected EOF') : new GoFault('EOF');
    }
    const skipped = take(SKIPPED);
    if (skipped !== null) {
      checkEncoding(skipped[1] ?? '');
      continue;
    }
    const cdata = take(CDATA);
    if (cdata !== null) {
      yield { kind: 'text', text: newlines(cdata[1] ?? '') };
      continue;
    }
    if (take(DIRECTIVE) !== null) {
      at = directiveEnd(text, at);
      if (at < 0) throw fault('unexpected EOF');
      continue;
    }
    const close = take(CLOSE);
    if (close !== null) {
      const [, name = ''] = close;
      const expected = open.pop();
      if (expected === undefined) throw fault(`unexpected end element </${name}>`);
      if (expected !== name) throw fault(`element <${expected}> closed by </${name}>`);
      yield { kind: 'close' };
      continue;
    }
    const tag = take(OPEN);
    if (tag !== null) {
      const [, name = ''] = tag;
      const attributes: (readonly [string, string])[] = [];
      for (let found = take(ATTRIBUTE); found !== null; found = take(ATTRIBUTE)) {
        const value = decodeEntities(found[2] ?? found[3] ?? '', fault);
        attributes.push([localName(found[1] ?? ''), value]);
      }
      const end = take(TAG_END);
      if (end === null) throw fault('attribute name without = in element');
      const empty = end[1] === '/';
      started = true;
      yield { kind: 'open', name: localName(name), attributes, empty };
      if (!empty) open.push(name);
      continue;
    }
    const plain = take(TEXT);
    if (plain === null) throw fault('expected element name after <');
    const content = decodeEntities(newlines(plain[0]), fault);
    if (started) yield { kind: 'text', text: content };
  }
}

function checkEncoding(instruction: string): void {
  if (!/^xml\s/.test(instruction)) return;
  const encoding = /\bencoding\s*=\s*["']([^"']*)["']/.exec(instruction)?.[1];
  if (encoding === undefined || encoding.toLowerCase() === 'utf-8') return;
  throw new GoFault(
    `xml.Decoder.Token() - xml: encoding "${encoding}" declared but Decoder.CharsetReader is nil`,
  );
}

/** Where a directive ends that may hold others, as a DOCTYPE holds entities; -1 where it does not. */
function directiveEnd(text: string, from: number): number {
  let depth = 1;
  for (let at = from; at < text.length; at++) {
    const char = text[at];
    if (char === '"' || char === "'") {
      at = text.indexOf(char, at + 1);
      if (at < 0) return -1;
    } else if (char === '<') depth++;
    else if (char === '>' && --depth === 0) return at + 1;
  }
  return -1;
}

function localName(name: string): string {
  const colon = name.indexOf(':');
  return colon > 0 && colon < name.length - 1 ? name.slice(colon + 1) : name;
}

function newlines(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

function decodeEntities(text: string, fault: (why: string) => GoFault): string {
  if (!text.includes('&')) return text;
  return text.replace(ENTITY, (whole, name: string, end: string) => {
    const invalid = () => fault(`invalid character entity ${whole}${end ? '' : ' (no semicolon)'}`);
    if (end === '') throw invalid();
    if (!name.startsWith('#')) {
      const known = Object.hasOwn(ENTITIES, name) ? ENTITIES[name] : undefined;
      if (known === undefined) throw invalid();
      return known;
    }
    const code = name[1] === 'x' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    if (!(code <= 0x10ffff)) throw invalid();
    return code >= 0xd800 && code <= 0xdfff ? '\ufffd' : String.fromCodePoint(code);
  });
}
