import { SyncerError } from '../../../core/errors.ts';
import { decodeEntities } from './entities.ts';

/** An element of an XML document; namespaces and attributes are dropped. */
export interface XmlElement {
  readonly name: string;
  readonly children: readonly XmlElement[];
  /** The text directly in it. */
  readonly text: string;
}

/** A document that declares a type: none of a store's does, and what it declares could be of any size. */
const DECLARES_TYPE = /^\ufeff?\s*(?:<\?[^>]*>\s*|<!--.*?-->\s*)*<!DOCTYPE/is;

/** Reads a document with a full parser. Rejects with `bad-answer` where it is not XML, or declares a type. */
export async function readXml(document: string): Promise<XmlElement> {
  if (DECLARES_TYPE.test(document)) throw notXml();
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
    throw notXml(cause);
  }
  const root = nodes.map(toElement).find((element) => element !== undefined);
  if (root === undefined) throw notXml();
  return root;
}

/** The text of the first child of that name; `undefined` where there is none. */
export function childText(element: XmlElement, name: string): string | undefined {
  return element.children.find((child) => child.name === name)?.text;
}

/** A node as the parser gives it: one key, the element's name, holding its content. */
type Node = Readonly<Record<string, unknown>>;

function toElement(node: Node): XmlElement | undefined {
  const name = Object.keys(node).find((key) => !/^[#:?]/.test(key));
  if (name === undefined) return undefined;
  const content = node[name] as readonly Node[];
  const children: XmlElement[] = [];
  let text = '';
  for (const inner of content) {
    if ('#text' in inner) text += decodeEntities(String(inner['#text']));
    else if ('#cdata' in inner) text += cdataText(inner['#cdata'] as readonly Node[]);
    else {
      const child = toElement(inner);
      if (child !== undefined) children.push(child);
    }
  }
  return { name, children, text };
}

function cdataText(content: readonly Node[]): string {
  return content.map((inner) => String(inner['#text'] ?? '')).join('');
}

function notXml(cause?: unknown): SyncerError {
  const text = 'the store answered with something that is not XML; is the endpoint an S3 server?';
  return new SyncerError('bad-answer', text, { cause });
}
