import { nameFromBytes } from '../../core/name-bytes.ts';
import { GoFault } from '../../go/go-fault.ts';
import { type GoMap, NIL_MAP } from '../../go/go-value.ts';
import { parseGoJson, parseGoJsonObject } from '../../go/parse-go-json.ts';
import { TooManyValues, ValueRoom } from '../../go/value-room.ts';
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

/** The payload in a body that is read whole. Throws `GoFault` with the text for the log, and `TooManyValues`. */
export function parseBody(kind: 'json' | 'form' | 'xml', body: Uint8Array): GoMap {
  switch (kind) {
    case 'json':
      return parseJsonBody(body);
    case 'form': {
      const room = new ValueRoom();
      for (let at = body.indexOf(AND); at >= 0; at = body.indexOf(AND, at + 1)) room.take();
      const { values, fault } = parseQuery(nameFromBytes(body));
      if (fault !== undefined) throw new GoFault(`error parsing form payload ${fault}`);
      return values;
    }
    case 'xml':
      return wording('error parsing XML payload: ', () => parseXml(body));
  }
}

/** A list is put into an object as `root`. */
function parseJsonBody(body: Uint8Array): GoMap {
  const first = body.find((byte) => !(byte === 0x20 || (byte >= 9 && byte <= 13)));
  if (first !== 0x5b) {
    return wording('error parsing JSON payload ', () => parseGoJsonObject(body));
  }
  const list = wording('error parsing JSON array payload ', () => parseGoJson(body));
  return list === null ? NIL_MAP : new Map([['root', list]]);
}

function wording<T>(prefix: string, parse: () => T): T {
  try {
    return parse();
  } catch (thrown) {
    if (thrown instanceof TooManyValues) throw thrown;
    throw thrown instanceof GoFault ? new GoFault(`${prefix}${thrown.message}`) : thrown;
  }
}
