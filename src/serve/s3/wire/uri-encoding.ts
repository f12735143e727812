import { decodeUri } from '../../../backends/s3-protocol/uri-encoding.ts';
import { S3Error } from './s3-error.ts';

/** As `decodeUri`; throws `InvalidURI` for `%` without two digits. */
export function uriDecode(text: string): string {
  const decoded = decodeUri(text);
  if (decoded === undefined) throw new S3Error('InvalidURI');
  return decoded;
}

/** The parameters of a URL, decoded; a repeated name keeps its first value. */
export type Query = ReadonlyMap<string, string>;

/** Name and value of every parameter of the part of a URL after `?`, decoded, in order. */
export function parseQuery(text: string): [name: string, value: string][] {
  if (text === '') return [];
  const pairs: [string, string][] = [];
  for (const part of text.split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const name = equals < 0 ? part : part.slice(0, equals);
    const value = equals < 0 ? '' : part.slice(equals + 1);
    pairs.push([uriDecode(name.replaceAll('+', ' ')), uriDecode(value.replaceAll('+', ' '))]);
  }
  return pairs;
}

/** The parameters by name. */
export function queryFromPairs(pairs: readonly (readonly [string, string])[]): Query {
  const query = new Map<string, string>();
  for (const [name, value] of pairs) if (!query.has(name)) query.set(name, value);
  return query;
}

/** A parameter's value as the text of a header, one character a byte. Throws if no header can have it. */
export function headerValue(text: string): string {
  const latin1 = Buffer.from(text, 'utf8').toString('latin1');
  if (/[\u0000-\u0008\u000a-\u001f\u007f]/.test(latin1)) throw new S3Error('InvalidArgument');
  return latin1;
}
