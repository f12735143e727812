import { encodeUriPath } from '../../../s3-protocol/uri-encoding.ts';

const SPECIAL = /[&<>"'\u0000-\u001f\u007f]/;
const SPECIALS = /[&<>"'\u0000-\u001f\u007f]/g;

/**
 * Text inside an element. Control characters become character references as S3 writes them: XML 1.0 has no other way
 * for keys with them, and `encoding-type=url` avoids it.
 */
export function escapeXml(text: string): string {
  return SPECIAL.test(text) ? text.replace(SPECIALS, (char) => `&#${char.charCodeAt(0)};`) : text;
}

/** How the names of one response are written: as they are, or URL-encoded (`encoding-type=url`). */
export type WriteName = (name: string) => string;

/** The way of writing names for the `encoding-type` parameter. */
export function nameWriter(encodingType: string | undefined): WriteName {
  return encodingType === 'url' ? encodeUriPath : escapeXml;
}

/** An element with text content. */
export function element(name: string, text: string | number | boolean): string {
  return `<${name}>${typeof text === 'string' ? escapeXml(text) : text}</${name}>`;
}

/** A whole document: `inner` is XML already. */
export function xmlDocument(root: string, inner: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${inner}</${root}>`;
}

/** A time in XML responses, from milliseconds since the epoch. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** The id of the only owner. */
export const OWNER_ID = 'syncer';

/** The owner as an element of listings. */
export const OWNER = `<Owner><ID>${OWNER_ID}</ID><DisplayName>${OWNER_ID}</DisplayName></Owner>`;
