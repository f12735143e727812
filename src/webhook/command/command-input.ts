import { nameToBytes } from '../../core/name-bytes.ts';
import { GoFault } from '../../go/go-errno.ts';
import { goQuote } from '../../go/go-texts.ts';
import type { Hook, Parameter } from '../file/hook.ts';
import { HIDDEN } from '../log/hide-texts.ts';
import { isSecretParameter, type Redact, redactQuoted } from '../log/redact.ts';
import { isSecretName } from '../log/secret-names.ts';
import type { HookRequest } from '../parameter/hook-request.ts';
import { describeParameter, parameterValue } from '../parameter/parameter-value.ts';
import { decodeBase64 } from './decode-base64.ts';

/** A file that a command is given, and the variable that holds its path. */
export interface CommandFile {
  readonly variable: string;
  readonly content: Uint8Array;
}

/** What a command gets of a request. */
export interface CommandInput {
  /** Beginning with the command itself. */
  readonly argv: readonly string[];
  /** `NAME=value`, besides the server's own. */
  readonly env: readonly string[];
  readonly files: readonly CommandFile[];
}

/** What is needed to find it. */
export interface InputContext {
  /** Whether a parameter is used for the first time since it was loaded. */
  readonly isFirstUse: (parameter: Parameter) => boolean;
  /** Takes lines about the request. */
  readonly log: (line: string) => void;
  /** Takes lines that do not name the request. */
  readonly logBare: (line: string) => void;
}

/** Arguments and variables of a command without the values of secret parameters, as the log shows them. */
export function shownInput(
  hook: Hook,
  { argv, env }: CommandInput,
  redact: Redact,
): Pick<CommandInput, 'argv' | 'env'> {
  return {
    argv: argv.map((text, i) => {
      const parameter = hook.arguments[i - 1];
      const isSecret = parameter !== undefined && isSecretParameter(parameter);
      return isSecret ? goQuote(HIDDEN) : redactQuoted(text, redact);
    }),
    env: env.map((text) => {
      const name = text.slice(0, text.indexOf('='));
      return isSecretName(name) ? `${name}=${HIDDEN}` : redact(text);
    }),
  };
}

/** Finds what a hook's command gets of a request. What cannot be had is logged. */
export function commandInput(
  hook: Hook,
  request: HookRequest,
  { isFirstUse, log, logBare }: InputContext,
): CommandInput {
  const valueFor = (parameter: Parameter, what: string): string | undefined => {
    try {
      return parameterValue(parameter, request);
    } catch (thrown) {
      if (!(thrown instanceof GoFault)) throw thrown;
      const described = describeParameter(parameter);
      log(`error extracting command arguments${what}: couldn't retrieve argument for ${described}`);
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
    const variable = part.envName || `HOOK_${part.name.toUpperCase()}`;
    if (part.envName === '' && isFirstUse(part)) {
      logBare(`no ENVVAR name specified, falling back to [${variable}]`);
    }
    if (!part.base64Decode) return [{ variable, content: nameToBytes(value) }];
    const { bytes, fault } = decodeBase64(value);
    if (fault !== undefined) logBare(`error decoding string [${fault}]`);
    return [{ variable, content: bytes }];
  });
  return { argv, env, files };
}
