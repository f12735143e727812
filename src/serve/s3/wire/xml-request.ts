import { S3Error } from './s3-error.ts';

/** An element of a request body. */
export interface XmlElement {
  /** Without its namespace prefix. */
  readonly name: string;
  readonly children: readonly XmlElement[];
  /** Its own text, joined, entities resolved. */
  readonly text: string;
}

interface OpenElement {
  name: string;
  children: XmlElement[];
  text: string;
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};
const TAG = /^([A-Za-z_][\w.-]*:)?([A-Za-z_][\w.-]*)(\s[^<]*)?$/;

/**
 * Reads the XML of a request body. A reader of its own because a key in a deletion must come out exact:
 * fast-xml-parser 5 drops `&#1;`, so that deleting `a\x01` would delete `a`.
 * Attributes are passed over; document types are refused. Throws `MalformedXML`.
 */
export function readXml(text: string): XmlElement {
  const top: OpenElement = { name: '', children: [], text: '' };
  const open: OpenElement[] = [top];
  let at = text.startsWith('\ufeff') ? 1 : 0;
  while (at < text.length) {
    const current = open.at(-1) ?? top;
    const start = text.indexOf('<', at);
    current.text += resolveEntities(text.slice(at, start < 0 ? text.length : start));
    if (start < 0) break;
    at = readMarkup(text, start, open);
  }
  const [root] = top.children;
  if (
    open.length !== 1 ||
    root === undefined ||
    top.children.length > 1 ||
    top.text.trim() !== ''
  ) {
    throw new S3Error('MalformedXML');
  }
  return root;
}

/** Takes what begins with `<` at `start`; gives the position behind it. */
function readMarkup(text: string, start: number, open: OpenElement[]): number {
  if (text.startsWith('<!--', start)) return end(text, '-->', start);
  if (text.startsWith('<?', start)) return end(text, '?>', start);
  if (text.startsWith('<![CDATA[', start)) {
    const after = end(text, ']]>', start);
    const current = open.at(-1);
    if (current !== undefined) current.text += text.slice(start + 9, after - 3);
    return after;
  }
  const after = end(text, '>', start);
  const inside = text.slice(start + 1, after - 1);
  if (inside.startsWith('/')) close(open, inside.slice(1).trim());
  else if (inside.endsWith('/')) {
    begin(open, inside.slice(0, -1).trim());
    close(open, undefined);
  } else begin(open, inside);
  return after;
}

function end(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  if (found < 0) throw new S3Error('MalformedXML');
  return found + mark.length;
}

function begin(open: OpenElement[], inside: string): void {
  const name = TAG.exec(inside)?.[2];
  if (name === undefined || open.length > 50) throw new S3Error('MalformedXML');
  open.push({ name, children: [], text: '' });
}

function close(open: OpenElement[], name: string | undefined): void {
  const closed = open.pop();
  const parent = open.at(-1);
  if (closed === undefined || parent === undefined) throw new S3Error('MalformedXML');
  if (name !== undefined && name.slice(name.indexOf(':') + 1) !== closed.name) {
    throw new S3Error('MalformedXML');
  }
  parent.children.push(closed);
}

function resolveEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&([^;\s&]{0,16});?/g, (whole, name: string) => {
    if (!whole.endsWith(';')) throw new S3Error('MalformedXML');
    const known = ENTITIES[name];
    if (known !== undefined) return known;
    const code = /^#\d+$/.test(name)
      ? Number(name.slice(1))
      : /^#x[0-9a-fA-F]+$/.test(name)
        ? Number.parseInt(name.slice(2), 16)
        : -1;
    if (code < 0 || code > 0x10ffff) throw new S3Error('MalformedXML');
    return String.fromCodePoint(code);
  });
}

/** The first child of this name. */
export function child(parent: XmlElement, name: string): XmlElement | undefined {
  return parent.children.find((each) => each.name === name);
}

/** The text of the first child of this name. */
export function childText(parent: XmlElement, name: string): string | undefined {
  return child(parent, name)?.text;
}

/** The children of this name. */
export function childrenNamed(parent: XmlElement, name: string): XmlElement[] {
  return parent.children.filter((each) => each.name === name);
}
