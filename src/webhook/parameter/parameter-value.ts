import { nameFromBytes, nameToBytes } from '../../core/name-bytes.ts';
import { canonicalHeaderName, GoFault, goQuote } from '../../go/go-texts.ts';
import { type GoMap, type GoValue, goJson, goText, NIL_MAP } from '../../go/go-value.ts';
import { parseGoJsonObject } from '../../go/parse-go-json.ts';
import type { Parameter } from '../hook.ts';

/** The text that a parameter stands for. Throws `NotFoundFault` where the request has none, else `GoFault`. */
export function parameterValue(parameter: Parameter, request: HookRequest): string {
  const { source, name } = parameter;
  switch (source) {
    case 'string':
      return name;
    case 'raw-request-body':
      return nameFromBytes(request.body);
    case 'request':
      if (/^remote-addr$/i.test(name)) return request.remoteAddress;
      if (/^method$/i.test(name)) return request.method;
      throw new GoFault(`unsupported request key: ${goQuote(name)}`);
    case 'entire-payload':
      return goJson(request.payload);
    case 'entire-headers':
      return goJson(request.headers);
    case 'entire-query':
      return goJson(request.query);
  }
  const place = namedPlace(parameter, request);
  if (place === undefined) throw new GoFault('no source for value retrieval');
  return goText(lookUp(place.name, place.values));
}

/** Where a parameter with a name is looked for; `undefined` for sources that have no names. */
function namedPlace(
  { source, name }: Parameter,
  request: HookRequest,
): { readonly values: GoMap; readonly name: string } | undefined {
  switch (source) {
    case 'header':
      return { values: request.headers, name: canonicalHeaderName(name) };
    case 'url':
    case 'query':
      return { values: request.query, name };
    case 'payload':
      return { values: request.payload, name };
    default:
      return undefined;
  }
}

/** A parameter as webhook's log names it. */
export function describeParameter(parameter: Parameter): string {
  const { source, name, envName, base64Decode } = parameter;
  return `{Source:${source} Name:${name} EnvName:${envName} Base64Decode:${base64Decode}}`;
}

/** What a rule and a command can ask of a request. */
export interface HookRequest {
  readonly method: string;
  /** `ip:port` of the connection. */
  readonly remoteAddress: string;
  /** First value of each, by canonical name. */
  readonly headers: GoMap;
  readonly query: GoMap;
  /** `NIL_MAP` where there is none. */
  readonly payload: GoMap;
  readonly body: Buffer;
}

/** A parameter that the request does not have: no error, but a plain no. */
export class NotFoundFault extends GoFault {
  constructor(name: string) {
    super(`parameter node not found: ${name}`);
  }
}

/**
 * The value at a dotted name. Throws `NotFoundFault`, and `GoFault` below a null.
 *
 * @param replacement is put in its place
 */
export function lookUp(name: string, root: GoValue, replacement?: GoValue): GoValue {
  let rest = name;
  let current = root;
  while (true) {
    if (current === null) throw new GoFault('no parameters');
    const dot = rest.indexOf('.');
    const first = dot < 0 ? rest : rest.slice(0, dot);
    let isLast = dot < 0;
    let value: GoValue | undefined;
    if (Array.isArray(current)) {
      const index = /^\d+$/.test(first) ? Number(first) : Number.POSITIVE_INFINITY;
      value = current[index];
      if (isLast && value !== undefined && replacement !== undefined) current[index] = replacement;
    } else if (current instanceof Map && current !== NIL_MAP) {
      // A key may have dots itself.
      const isWhole = current.has(rest);
      const key = isWhole ? rest : first;
      value = current.get(key);
      isLast ||= isWhole;
      if (isLast && value !== undefined && replacement !== undefined) current.set(key, replacement);
    }
    if (value === undefined) throw new NotFoundFault(rest);
    if (isLast) return value;
    current = value;
    rest = rest.slice(dot + 1);
  }
}

/** Replaces texts of the request by the objects they hold as JSON. Gives what failed; the texts stay then. */
export function parseJsonParameters(
  parameters: readonly Parameter[],
  request: HookRequest,
): string[] {
  return parameters.flatMap((parameter) => {
    let text: string;
    try {
      text = parameterValue(parameter, request);
    } catch (thrown) {
      if (!(thrown instanceof GoFault)) throw thrown;
      return [`couldn't retrieve argument for ${describeParameter(parameter)}`];
    }
    try {
      const value = parseGoJsonObject(nameToBytes(text));
      const place = namedPlace(parameter, request);
      if (place === undefined)
        return [`invalid source for argument ${describeParameter(parameter)}`];
      lookUp(place.name, place.values, value);
      return [];
    } catch (thrown) {
      if (thrown instanceof GoFault) return [thrown.message];
      throw thrown;
    }
  });
}
