import { HttpError } from '../http-error.ts';

/** One condition of an `If` header: a lock token or an ETag with its quotes. */
export interface IfCondition {
  readonly isNot: boolean;
  readonly token?: string;
  readonly etag?: string;
}

/** Conditions that must all hold, for the resource of the request or of a tag. */
export interface IfList {
  /** A URL; `undefined`: that of the request. */
  readonly tag: string | undefined;
  readonly conditions: readonly IfCondition[];
}

/** Reads an `If` header (RFC 4918, section 10.4). Throws `HttpError` 400. */
export function readIf(text: string): readonly IfList[] {
  const lists: IfList[] = [];
  let tag: string | undefined;
  let rest = text.trim();
  while (rest !== '') {
    const tagged = /^<([^>]*)>\s*/.exec(rest);
    if (tagged !== null) {
      tag = tagged[1] ?? '';
      rest = rest.slice(tagged[0].length);
    }
    const list = /^\(((?:[^()"<]|"[^"]*"|<[^>]*>)*)\)\s*/.exec(rest);
    if (list === null) throw new HttpError(400, 'Bad Request: invalid If header');
    lists.push({ tag, conditions: readConditions(list[1] ?? '') });
    rest = rest.slice(list[0].length);
  }
  if (lists.length === 0) throw new HttpError(400, 'Bad Request: invalid If header');
  return lists;
}

function readConditions(text: string): readonly IfCondition[] {
  const conditions: IfCondition[] = [];
  let rest = text.trim();
  while (rest !== '') {
    const [whole, not, token, etag] =
      /^(Not\s+|Not(?=[<[]))?(?:<([^>]*)>|\[((?:W\/)?"[^"]*")\])\s*/i.exec(rest) ?? [];
    if (whole === undefined) throw new HttpError(400, 'Bad Request: invalid If header');
    conditions.push({
      isNot: not !== undefined,
      ...(token === undefined ? {} : { token }),
      ...(etag === undefined ? {} : { etag }),
    });
    rest = rest.slice(whole.length);
  }
  if (conditions.length === 0) throw new HttpError(400, 'Bad Request: invalid If header');
  return conditions;
}
