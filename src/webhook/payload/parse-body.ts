import { nameFromBytes } from '../../core/name-bytes.ts';
import { GoFault } from '../../go/go-texts.ts';
import { type GoMap, TooManyValues, ValueRoom } from '../../go/go-value.ts';
import { parseGoJson, parseGoJsonObject } from '../../go/parse-go-json.ts';
import { parseQuery } from './parse-query.ts';
import { parseXml } from './parse-xml.ts';

/** Which parser a body goes to. */
export type BodyKind = 'json' | 'form' | 'xml' | 'multipart' | 'none';

/** The parser that a content type stands for: plain searches, in this order, as in webhook 2.8.0. */
export function bodyKind(contentType: string): BodyKind {
  if (contentType.includes('json')) return 'json';
  if (contentType.includes('x-www-form-urlencoded')) return 'form';
  if (contentType.includes('xml')) return 'xml';
  return contentType.startsWith('multipart/form-data;') ? 'multipart' : 'none';
}

const AND = '&'.charCodeAt(0);
const BLANKS = new Set(' \t\n\v\f\r'.split('').map((blank) => blank.charCodeAt(0)));
const LIST = '['.charCodeAt(0);
const PREFIXES = { json: 'JSON payload', form: 'form payload', xml: 'XML payload:' } as const;

/** A body that cannot be parsed. */
export class BodyFault extends GoFault {
  readonly kind: string;
  /** May quote the body. */
  readonly why: string;

  constructor(kind: string, why: string) {
    super(`error parsing ${kind} ${why}`);
    this.kind = kind;
    this.why = why;
  }
}

/**
 * The payload in a body that is read whole; a JSON list becomes `root`. Rejects with `BodyFault` and `TooManyValues`.
 */
export async function parseBody(kind: 'json' | 'form' | 'xml', body: Uint8Array): Promise<GoMap> {
  const isList = kind === 'json' && body.find((byte) => !BLANKS.has(byte)) === LIST;
  try {
    if (kind === 'xml') return await parseXml(body);
    if (kind === 'form') {
      const room = new ValueRoom();
      for (let at = body.indexOf(AND); at >= 0; at = body.indexOf(AND, at + 1)) room.take();
      const { values, fault } = parseQuery(nameFromBytes(body));
      if (fault === undefined) return values;
      throw new GoFault(fault);
    }
    return isList ? new Map([['root', parseGoJson(body)]]) : parseGoJsonObject(body);
  } catch (thrown) {
    if (!(thrown instanceof GoFault) || thrown instanceof TooManyValues) throw thrown;
    throw new BodyFault(isList ? 'JSON array payload' : PREFIXES[kind], thrown.message);
  }
}
