import { nameToBytes } from '../../core/name-bytes.ts';
import { GoFault } from '../../go/go-errno.ts';
import { parseGoJsonObject } from '../../go/parse-go-json.ts';
import type { Parameter } from '../file/hook.ts';
import type { HookRequest } from './hook-request.ts';
import { replaceAt } from './look-up.ts';
import { describeParameter, namedPlace, parameterValue } from './parameter-value.ts';

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
      replaceAt(place.name, place.values, value);
      return [];
    } catch (thrown) {
      if (thrown instanceof GoFault) return [thrown.message];
      throw thrown;
    }
  });
}
