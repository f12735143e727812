/** An element of an XML document; namespaces and attributes are dropped. */
export interface XmlElement {
  readonly name: string;
  readonly children: readonly XmlElement[];
  /** The text directly in it. */
  readonly text: string;
}

/** A document that is not well-formed, or declares a type. */
class NotXml extends Error {}

/** What may stand before or between elements, and how it ends. */
const CLOSED_BY = [
  ['<?', '?>'],
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
] as const;

/** Whether a document holds a declaration, which could be of any size, or what is not closed. Reads it once. */
function declaresType(document: string): boolean {
  const markup = /<[?!]/g;
  for (let found = markup.exec(document); found !== null; found = markup.exec(document)) {
    const { index } = found;
    const [start, close] = CLOSED_BY.find(([each]) => document.startsWith(each, index)) ?? [];
    const end = close === undefined ? -1 : document.indexOf(close, index + start.length);
    if (end < 0) return true;
    markup.lastIndex = end;
  }
  return false;
}

/** The start of a document, with the start tag of its root. */
const ROOT = /^\ufeff?\s*(?:<\?xml[^?]*\?>\s*)?<(\w+)(?:\s[^<>]*)?>/;

/** What a sticky expression finds in the root of a document; `undefined` if it does not match all of it. */
export function scanRoot(document: string, expression: RegExp) {
  const [root = '/>', name = ''] = ROOT.exec(document) ?? [];
  if (root.endsWith('/>')) return undefined;
  const found: RegExpExecArray[] = [];
  let at = root.length;
  for (;;) {
    expression.lastIndex = at;
    const next = expression.exec(document);
    if (next === null) break;
    found.push(next);
    at = expression.lastIndex;
  }
  return document.slice(at).trim() === `</${name}>` ? { name, found } : undefined;
}

/** An element of nothing but text. */
const TEXT_ELEMENT = /\s*<(\w+)>([^<]*)<\/\1>/y;

/** Reads a document. Rejects where it is not well-formed, or declares a type. `unknown`: see `decodeEntities`. */
export async function readXml(
  document: string,
  unknown?: (whole: string) => string,
): Promise<XmlElement> {
  // Of elements of text alone: the parser would make 20 KB of objects for it.
  const flat = scanRoot(document, TEXT_ELEMENT);
  if (flat !== undefined && flat.found.length > 0) {
    const children: XmlElement[] = [];
    for (const { 1: name = '', 2: text = '' } of flat.found)
      children.push({ name, children: [], text: decodeEntities(text, unknown) });
    return { name: flat.name, children, text: '' };
  }
  if (declaresType(document)) throw new NotXml();
  const { XMLParser } = await import('fast-xml-parser');
  const parser = new XMLParser({
    preserveOrder: true,
    ignoreAttributes: true,
    ignoreDeclaration: true,
    removeNSPrefix: true,
    parseTagValue: false,
    processEntities: false,
    trimValues: false,
    cdataPropName: '#cdata',
  });
  let nodes: readonly Node[];
  try {
    nodes = parser.parse(document.trimStart(), true) as readonly Node[];
  } catch (cause) {
    throw new NotXml('', { cause });
  }
  const root = nodes
    .map((node) => toElement(node, unknown))
    .find((element) => element !== undefined);
  if (root === undefined) throw new NotXml();
  return root;
}

/** The first child of this name. */
export function child(parent: XmlElement, name: string): XmlElement | undefined {
  for (const each of parent.children) if (each.name === name) return each;
  return undefined;
}

/** The text of the first child of this name. */
export function childText(parent: XmlElement, name: string): string | undefined {
  return child(parent, name)?.text;
}

/** The children of this name. */
export function childrenNamed(parent: XmlElement, name: string): XmlElement[] {
  return parent.children.filter((each) => each.name === name);
}

/** A node as the parser gives it: one key, the element's name, holding its content. */
type Node = Readonly<Record<string, unknown>>;

function toElement(node: Node, unknown?: (whole: string) => string): XmlElement | undefined {
  const name = Object.keys(node).find((key) => !/^[#:?]/.test(key));
  if (name === undefined) return undefined;
  const content = node[name] as readonly Node[];
  const children: XmlElement[] = [];
  let text = '';
  for (const inner of content) {
    if ('#text' in inner) {
      const written = String(inner['#text']);
      text += written.includes('&') ? decodeEntities(written, unknown) : written;
    } else if ('#cdata' in inner) {
      const pieces = inner['#cdata'] as readonly Node[];
      text += pieces.map((piece) => String(piece['#text'] ?? '')).join('');
    } else {
      const child = toElement(inner, unknown);
      if (child !== undefined) children.push(child);
    }
  }
  return { name, children, text };
}

const NAMED: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** Text with its entities resolved. `unknown`: what stands for a name or number that is no entity: itself by default. */
export function decodeEntities(
  text: string,
  unknown: (whole: string) => string = (whole) => whole,
): string {
  const first = text.indexOf('&');
  if (first < 0) return text;
  // Text in quotes that holds no other entity, as every ETag of a listing is written.
  const end = text.length - 6;
  const isQuoted = first === 0 && end >= 6 && text.startsWith('&quot;') && text.endsWith('&quot;');
  if (isQuoted && text.indexOf('&', 1) === end) return `"${text.slice(6, end)}"`;
  return text.replace(/&(?:#x([0-9a-f]+);|#(\d+);|(\w+);)?/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return NAMED.get(name) ?? unknown(whole);
    const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    // A half of a pair of UTF-16 is no character, and would stand for a byte in a name; see `nameFromBytes`.
    const isCharacter = point < 0xd800 || (point > 0xdfff && point <= 0x10ffff);
    return isCharacter ? String.fromCodePoint(point) : unknown(whole);
  });
}
