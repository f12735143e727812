import { nameFromBytes } from '../../core/name-bytes.ts';
import { GoFault } from '../../go/go-errno.ts';
import { goQuote, goText } from '../../go/go-texts.ts';
import { type GoMap, goJson } from '../../go/go-value.ts';
import { canonicalHeaderName } from '../../go/header-name.ts';
import type { Parameter } from '../file/hook.ts';
import type { HookRequest } from './hook-request.ts';
import { lookUp } from './look-up.ts';

/** The text that a parameter stands for. Throws `NotFoundFault` where the request has none, else `GoFault`. */
export function parameterValue(parameter: Parameter, request: HookRequest): string {
  const { source, name } = parameter;
  switch (source) {
    case 'string':
      return name;
    case 'raw-request-body':
      return nameFromBytes(request.body);
    case 'request':
      return requestValue(name, request);
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
export function namedPlace(
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

function requestValue(name: string, request: HookRequest): string {
  switch (name.toLowerCase()) {
    case 'remote-addr':
      return request.remoteAddress;
    case 'method':
      return request.method;
    default:
      throw new GoFault(`unsupported request key: ${goQuote(name)}`);
  }
}
