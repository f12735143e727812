import type * as Saxes from 'saxes';
import { escapeMarkup } from '../../core/shown-text.ts';
import type { FileCall } from '../files/call.ts';
import { HttpError } from '../http-error.ts';

/** The largest body of XML, in bytes, and how deep elements may be nested. */
const XML_LIMIT = 1024 * 1024;
const DEPTH_LIMIT = 64;

export interface XmlName {
  /** Its namespace; `''` for none. */
  readonly space: string;
  readonly name: string;
}

export interface XmlNode extends XmlName {
  /** Namespace, name and value. */
  readonly attributes: readonly (readonly [space: string, name: string, value: string])[];
  readonly children: readonly (XmlNode | string)[];
}

/** The namespace of WebDAV. */
export const DAV = 'DAV:';

/**
 * Parses a document with its namespaces. Rejects with `HttpError` 400 if it is not well-formed, declares a type or is
 * too deep.
 */
export async function parseXml(text: string): Promise<XmlNode> {
  // The package is CommonJS: in the bundle it has only a default export.
  const { default: saxes } = (await import('saxes')) as unknown as { default: typeof Saxes };
  const parser = new saxes.SaxesParser({ xmlns: true });
  const root: { children: (XmlNode | string)[] } = { children: [] };
  const open = [root];
  const fault = (why: string) => new HttpError(400, `Bad Request: ${why}`);
  parser.on('error', ({ message }) => {
    throw fault(message.split('\n', 1)[0] ?? '');
  });
  parser.on('doctype', () => {
    throw fault('a document type is not allowed');
  });
  parser.on('opentag', ({ uri, local, attributes, ns }) => {
    if (open.length > DEPTH_LIMIT) throw fault('elements are nested too deep');
    // RFC 4918, section 8.2, and "Namespaces in XML": a prefix cannot be bound to nothing.
    if (Object.entries(ns).some(([prefix, space]) => prefix !== '' && space === '')) {
      throw fault('a prefix is bound to no namespace');
    }
    const own = Object.values(attributes).filter(
      ({ prefix, name }) => prefix !== 'xmlns' && name !== 'xmlns',
    );
    const node = {
      space: uri,
      name: local,
      children: [],
      attributes: own.map((one) => [one.uri, one.local, one.value] as const),
    };
    open.at(-1)?.children.push(node);
    open.push(node);
  });
  const take = (piece: string) => open.at(-1)?.children.push(piece);
  parser.on('text', take);
  parser.on('cdata', take);
  parser.on('closetag', () => void open.pop());
  parser.write(text).close();
  const element = root.children.find((child) => typeof child !== 'string');
  if (element === undefined) throw fault('no element');
  return element;
}

/** The elements directly in an element. */
export function elementsIn({ children }: XmlNode): XmlNode[] {
  return children.filter((child) => typeof child !== 'string');
}

/** The first element of this name of WebDAV directly in an element. */
export function davChild(node: XmlNode, name: string): XmlNode | undefined {
  return elementsIn(node).find((child) => isDav(child, name));
}

/** Whether this is the element of this name of WebDAV. */
export function isDav({ space, name }: XmlName, wanted: string): boolean {
  return space === DAV && name === wanted;
}

/** All text in an element, at any depth. */
export function textIn({ children }: XmlNode): string {
  return children.map((child) => (typeof child === 'string' ? child : textIn(child))).join('');
}

/** An element as text, which declares the namespaces it needs. In a `D:multistatus`, `D` is WebDAV's. */
export function xmlOf(node: XmlNode): string {
  const [open, close] = tagOf(node.space, node.name);
  const attributes = node.attributes.map(([space, name, value], at) => {
    const written = `="${escapeXml(value)}"`;
    if (space === '') return ` ${name}${written}`;
    if (space === 'http://www.w3.org/XML/1998/namespace') return ` xml:${name}${written}`;
    return ` xmlns:a${at}="${escapeXml(space)}" a${at}:${name}${written}`;
  });
  const inner = node.children.map((child) =>
    typeof child === 'string' ? escapeXml(child) : xmlOf(child),
  );
  const head = `${open}${attributes.join('')}`;
  return inner.length === 0 ? `<${head}/>` : `<${head}>${inner.join('')}</${close}>`;
}

/** An element with XML in it. */
export function element(space: string, name: string, inner: string): string {
  const [open, close] = tagOf(space, name);
  return inner === '' ? `<${open}/>` : `<${open}>${inner}</${close}>`;
}

/** A document of WebDAV, in which `D` is its namespace. */
export function davDocument(name: string, inner: string): string {
  return `${davDocumentStart(name)}${inner}</D:${name}>\n`;
}

/** A document of WebDAV up to the content of its element. */
export function davDocumentStart(name: string): string {
  return `<?xml version="1.0" encoding="utf-8"?>\n<D:${name} xmlns:D="DAV:">`;
}

function tagOf(space: string, name: string): [open: string, close: string] {
  return space === DAV ? [`D:${name}`, `D:${name}`] : [`${name} xmlns="${escapeXml(space)}"`, name];
}

/** Text for XML. What XML 1.0 cannot contain becomes U+FFFD. */
export function escapeXml(text: string): string {
  const valid = text
    .toWellFormed()
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd');
  return escapeMarkup(valid).replaceAll('\r', '&#13;');
}

/** The body of a request as XML; `undefined` if it is empty. Rejects with `HttpError` 400 or 413. */
export async function readXmlBody(call: FileCall): Promise<XmlNode | undefined> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of call.body() as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > XML_LIMIT) throw new HttpError(413, 'Content Too Large');
    pieces.push(piece);
  }
  const bytes = Buffer.concat(pieces);
  return bytes.length === 0 ? undefined : parseXml(bytes.toString('utf8').replace(/^\ufeff/, ''));
}
