import { hash } from 'node:crypto';

/** A document of S3, from the name of its root and what is in it. */
export function xmlDocument(root: string, inner: string): Buffer {
  return Buffer.from(`<${root} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${inner}</${root}>`);
}

/** A document as the body of a request, with its headers. */
export function xmlBody(root: string, inner: string) {
  const body = xmlDocument(root, inner);
  const headers = { 'content-type': 'application/xml', 'content-md5': hash('md5', body, 'base64') };
  return { body, headers };
}

/** Text as the content of an element. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"'\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}
