import { nameToBytes } from '../../core/name-bytes.ts';
import { GoFault } from '../../go/go-fault.ts';
import type { Hook, Parameter } from '../file/hook.ts';
import type { HookRequest } from '../parameter/hook-request.ts';
import { describeParameter, parameterValue } from '../parameter/parameter-value.ts';
import { decodeBase64 } from './decode-base64.ts';

/** A file that a command is given, and the variable that holds its path. */
export interface CommandFile {
  readonly variable: string;
  readonly content: Uint8Array;
}

/** A line for the log; a `bare` one does not name the request. */
export interface InputNote {
  readonly line: string;
  readonly bare: boolean;
}

/** What a command gets of a request. */
export interface CommandInput {
  /** Beginning with the command itself. */
  readonly argv: readonly string[];
  /** `NAME=value`, besides the server's own. */
  readonly env: readonly string[];
  readonly files: readonly CommandFile[];
  /** What is to be logged about it. */
  readonly notes: readonly InputNote[];
}

/**
 * Takes from a request what a hook's command is to get.
 * @param isFirstUse whether a parameter is used for the first time since it was loaded
 */
export function commandInput(
  hook: Hook,
  request: HookRequest,
  isFirstUse: (parameter: Parameter) => boolean,
): CommandInput {
  const notes: InputNote[] = [];
  const note = (line: string, bare: boolean) => void notes.push({ line, bare });
  const valueFor = (parameter: Parameter, what: string): string | undefined => {
    try {
      return parameterValue(parameter, request);
    } catch (thrown) {
      if (!(thrown instanceof GoFault)) throw thrown;
      const described = describeParameter(parameter);
      note(
        `error extracting command arguments${what}: couldn't retrieve argument for ${described}`,
        false,
      );
      return undefined;
    }
  };
  const argv = [hook.executeCommand, ...hook.arguments.map((part) => valueFor(part, '') ?? '')];
  const env = hook.environment.flatMap((part) => {
    const value = valueFor(part, ' for environment');
    return value === undefined ? [] : [`${part.envName || `HOOK_${part.name}`}=${value}`];
  });
  const files = hook.files.flatMap((part) => {
    const value = valueFor(part, ' for file');
    if (value === undefined) return [];
    const variable = part.envName || fileVariable(part);
    if (part.envName === '' && isFirstUse(part)) {
      note(`no ENVVAR name specified, falling back to [${variable}]`, true);
    }
    if (!part.base64Decode) return [{ variable, content: nameToBytes(value) }];
    const { bytes, fault } = decodeBase64(value);
    if (fault !== undefined) note(`error decoding string [${fault}]`, true);
    return [{ variable, content: bytes }];
  });
  return { argv, env, files, notes };
}

/** The variable of a file that names none. */
function fileVariable({ name }: Parameter): string {
  return `HOOK_${name.toUpperCase()}`;
}
