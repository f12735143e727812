import { randomInt } from 'node:crypto';
import { accessSync, constants, statSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { nameToBytes } from '../../core/name-bytes.ts';
import { harmlessLine } from '../../core/shown-text.ts';
import { GoFault, goErrno, goQuote } from '../../go/go-texts.ts';
import type { Hook, Parameter } from '../hook.ts';
import { HIDDEN, isSecretParameter, type Redact, redactQuoted, shownBytes } from '../log/redact.ts';
import { isSecretName } from '../log/secret-names.ts';
import {
  describeParameter,
  type HookRequest,
  parameterValue,
} from '../parameter/parameter-value.ts';
import { type ProcessStarter, runProcess } from './run-process.ts';
import type { ServerEnvironment } from './server-environment.ts';

export interface CommandResult {
  /** Its output; empty if it was not wanted. */
  readonly output: Buffer;
  readonly failed: boolean;
  /** What went wrong, in Go's words. */
  readonly failure?: string;
}

/** What all commands are run with. */
export interface CommandServices {
  readonly env: ServerEnvironment;
  readonly starter: ProcessStarter;
}

/** What a command is run with that depends on the request. */
export interface RunContext {
  /** Whether a parameter is used for the first time since it was loaded. */
  readonly isFirstUse: (parameter: Parameter) => boolean;
  /** Takes lines about the request. */
  readonly log: (line: string) => void;
  /** Takes lines that do not name the request. */
  readonly logBare: (line: string) => void;
  /** The log is written. */
  readonly logOn: boolean;
  /** Hides secrets in what the request or the command says. */
  readonly redact: Redact;
  /** Bytes of the output that are kept, for the log or the answer; further ones are only counted. */
  readonly maxOutput: number;
  /** Takes output as it is written; until the promise resolves no more is read. */
  readonly onOutput?: ((chunk: Buffer) => Promise<void> | undefined) | undefined;
}

/** Runs a hook's command for a request. What goes wrong is logged; it never rejects. */
export async function runCommand(
  hook: Hook,
  request: HookRequest,
  services: CommandServices,
  context: RunContext,
): Promise<CommandResult> {
  const { log, redact } = context;
  try {
    const { env } = services;
    const found = findCommand(hook.executeCommand, hook.workingDirectory, env.searchPath);
    const input = commandInput(hook, request, context);
    const directory = resolve(hook.workingDirectory || env.temporary);
    const files: WrittenFile[] = [];
    for (const { variable, content } of input.files) {
      try {
        const path = await writeTemporaryFile(directory, variable, content);
        log(`writing env ${variable} file ${path}`);
        files.push({ variable, path });
      } catch (thrown) {
        log(`error creating temp file [${(thrown as Error).message}]`);
      }
    }
    let result: CommandResult;
    try {
      result = await runFound(hook, found, input, files, services, context);
    } finally {
      for (const { path } of files) {
        log(`removing file ${path}`);
        await rm(path, { force: true }).catch((thrown: Error) => {
          log(`error removing file ${path} [${thrown.message}]`);
        });
      }
    }
    log(`finished handling ${hook.id}`);
    return result;
  } catch (thrown) {
    const failure = thrown instanceof Error ? thrown.message : String(thrown);
    if (thrown instanceof GoFault) {
      log(`error in ${failure}`);
      const [word] = hook.executeCommand.trim().split(/\s+/);
      const hint = `use 'pass-arguments-to-command' to specify args for '${word}'`;
      if (hook.executeCommand.includes(' ')) log(hint);
    } else log(`error running the command of ${hook.id}: ${redact(failure)}`);
    return { output: Buffer.alloc(0), failed: true, failure };
  }
}

/** A file that was written for a command. */
type WrittenFile = Readonly<Record<'variable' | 'path', string>>;

async function runFound(
  hook: Hook,
  found: ReturnType<typeof findCommand>,
  input: CommandInput,
  files: readonly WrittenFile[],
  services: CommandServices,
  { log, logOn, redact, maxOutput, onOutput }: RunContext,
): Promise<CommandResult> {
  const env = [...input.env, ...files.map(({ variable, path }) => `${variable}=${path}`)];
  if (logOn) {
    const shown = shownInput(hook, { argv: input.argv, env }, redact);
    log(
      `executing ${hook.executeCommand} (${found.shown}) with arguments [${shown.argv.join(' ')}] and environment [${harmlessLine(shown.env.join(' '))}] using ${hook.workingDirectory} as cwd`,
    );
  }
  const kept = new KeptOutput(maxOutput);
  const hasLimits = hook.limits !== undefined || hook.timeoutMs > 0;
  const plan = {
    ...found,
    argv: input.argv,
    env: services.env.with(env),
    workingDirectory: hook.workingDirectory,
    timeoutMs: hook.timeoutMs,
    ownGroup: hook.timeoutMs > 0,
    outputUnwanted: maxOutput === 0 && !onOutput && !hasLimits && files.length === 0,
    onOutput: (chunk: Buffer) => {
      kept.push(chunk);
      return onOutput?.(chunk);
    },
  };
  const failure = whyNoFolder(hook.workingDirectory) ?? (await runProcess(plan, services.starter));
  const output = kept.bytes();
  if (logOn) log(`command output: ${shownBytes(output, kept.written, redact)}\n`);
  if (failure === undefined) return { output, failed: false };
  log(`error occurred: ${redact(failure)}`);
  return { output, failed: true, failure };
}

function whyNoFolder(directory: string): string | undefined {
  if (directory === '') return undefined;
  try {
    if (statSync(directory).isDirectory()) return undefined;
    return `chdir ${directory}: not a directory`;
  } catch (thrown) {
    return `chdir ${directory}: ${goErrno(thrown)}`;
  }
}

/**
 * Writes a file for a command, readable by its user only, named after a variable. Rejects with an error whose
 * message is for the log.
 */
async function writeTemporaryFile(directory: string, variable: string, content: Uint8Array) {
  if (variable.includes('/')) {
    throw new Error(`createtemp ${variable}: pattern contains path separator`);
  }
  const star = variable.includes('*') ? variable.lastIndexOf('*') : variable.length;
  const [before, after] = [variable.slice(0, star), variable.slice(star + 1)];
  while (true) {
    const path = join(directory, `${before}${randomInt(2 ** 32)}${after}`);
    try {
      const file = await open(path, 'wx', 0o600);
      try {
        await file.writeFile(content);
      } catch (thrown) {
        await rm(path, { force: true });
        throw thrown;
      } finally {
        await file.close();
      }
      return path;
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') continue;
      throw new Error(`open ${path}: ${goErrno(thrown)}`, { cause: thrown });
    }
  }
}

/** The beginning of what a command writes. */
export class KeptOutput {
  readonly #max: number;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  /** Bytes written, kept or not. */
  written = 0;

  /** @param max bytes that are kept */
  constructor(max: number) {
    this.#max = max;
  }

  push(chunk: Buffer): void {
    const part = chunk.subarray(0, this.#max - this.#size);
    if (part.length > 0) this.#chunks.push(part);
    this.#size += part.length;
    this.written += chunk.length;
  }

  /** What is kept. */
  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}

type CommandInput = ReturnType<typeof commandInput>;

/** Arguments and variables of a command without the values of secret parameters, as the log shows them. */
export function shownInput(
  hook: Hook,
  { argv, env }: Pick<CommandInput, 'argv' | 'env'>,
  redact: Redact,
) {
  return {
    argv: argv.map((text, i) => {
      const parameter = hook.arguments[i - 1];
      const isSecret = parameter !== undefined && isSecretParameter(parameter);
      return isSecret ? goQuote(HIDDEN) : redactQuoted(text, redact);
    }),
    env: env.map((text) => {
      const name = text.slice(0, text.indexOf('='));
      return `${name}=${isSecretName(name) ? HIDDEN : redact(text.slice(name.length + 1))}`;
    }),
  };
}

/**
 * Finds what a hook's command gets of a request: the command and its arguments, `NAME=value` of variables besides the
 * server's own, and files with the variables that hold their paths. What cannot be had is logged.
 */
export function commandInput(
  hook: Hook,
  request: HookRequest,
  { isFirstUse, log, logBare }: Pick<RunContext, 'isFirstUse' | 'log' | 'logBare'>,
) {
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

/**
 * Finds the program of a hook: a bare name in `PATH`, unless there is a working directory, to which every name that
 * is not absolute then belongs. Gives its path as the log shows it, and as the command sees it: only without a working
 * directory that may be relative. Throws `GoFault`.
 */
export function findCommand(command: string, workingDirectory: string, searchPath: string) {
  const name =
    isAbsolute(command) || workingDirectory === '' ? command : join(workingDirectory, command);
  if (name.includes('/')) {
    const why = whyNotExecutable(name);
    const keeps = workingDirectory === '' || isAbsolute(name);
    if (why === undefined) return { shown: name, path: keeps ? name : resolve(name) };
    throw new GoFault(`exec: ${goQuote(name)}: ${why}`);
  }
  for (const folder of searchPath.split(':')) {
    const path = join(folder || '.', name);
    if (name === '' || whyNotExecutable(path) !== undefined) continue;
    if (isAbsolute(path)) return { shown: path, path };
    const relative = 'cannot run executable found relative to current directory';
    throw new GoFault(`exec: ${goQuote(name)}: ${relative}`);
  }
  throw new GoFault(`exec: ${goQuote(name)}: executable file not found in $PATH`);
}

function whyNotExecutable(path: string): string | undefined {
  if (path.includes('\0')) return `stat ${path}: invalid argument`;
  try {
    const found = statSync(path);
    if (found.isDirectory() || (found.mode & 0o111) === 0) return 'permission denied';
    accessSync(path, constants.X_OK);
    return undefined;
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code ?? '';
    if (code === 'EACCES') return 'permission denied';
    return `stat ${path}: ${goErrno(thrown)}`;
  }
}

/** Decodes base64; line breaks do not matter. What comes before a fault is decoded, as by Go's `StdEncoding`. */
export function decodeBase64(text: string): { readonly bytes: Buffer; readonly fault?: string } {
  const digits = text.replace(/[\r\n]+/g, '');
  const other = digits.search(/[^A-Za-z0-9+/]/);
  const known = other < 0 ? digits.length : other;
  const left = known % 4;
  const padding = left === 2 ? '==' : '=';
  const isPadded = left > 1 && digits.startsWith(padding, known);
  const end = isPadded ? known + padding.length : known - left;
  const bytes = Buffer.from(digits.slice(0, end), 'base64');
  if (end === digits.length) return { bytes };
  return { bytes, fault: `invalid base64 at character ${end + 1}` };
}
