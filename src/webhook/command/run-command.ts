import { randomInt } from 'node:crypto';
import { statSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { harmlessLine } from '../../core/harmless.ts';
import { nameFromBytes } from '../../core/name-bytes.ts';
import { goErrno } from '../../go/go-errno.ts';
import { GoFault } from '../../go/go-fault.ts';
import { goQuote } from '../../go/go-quote.ts';
import type { Hook, Parameter } from '../file/hook.ts';
import type { HookRequest } from '../parameter/hook-request.ts';
import { type CommandInput, commandInput } from './command-input.ts';
import { type FoundCommand, findCommand } from './find-command.ts';
import { KeptOutput } from './kept-output.ts';
import type { ProcessStarter } from './process-starter.ts';
import { runProcess } from './run-process.ts';
import type { ServerEnvironment } from './server-environment.ts';

/** How a command ended. */
export interface CommandResult {
  /** What it wrote; empty where nobody wanted it. */
  readonly output: Buffer;
  readonly failed: boolean;
  /** What went wrong, in Go's words. */
  readonly failure?: string;
}

/** What a command is run with. */
export interface CommandContext {
  readonly env: ServerEnvironment;
  readonly starter: ProcessStarter;
  /** Whether a parameter is used for the first time since it was loaded. */
  readonly isFirstUse: (parameter: Parameter) => boolean;
  /** Lines are read by somebody. */
  readonly logOn: boolean;
  /** Takes lines about the request. */
  readonly log: (line: string) => void;
  /** Takes lines that do not name the request. */
  readonly logBare: (line: string) => void;
  /** Bytes of the output that are kept, for the log or the answer; further ones are only counted. */
  readonly maxOutput: number;
  /** Takes what is written while it is written; while it has not resolved no more is read. */
  readonly onOutput?: (chunk: Buffer) => Promise<void> | undefined;
}

/** Runs a hook's command for a request. What goes wrong is logged; rejects never. */
export async function runCommand(
  hook: Hook,
  request: HookRequest,
  context: CommandContext,
): Promise<CommandResult> {
  try {
    return await runFound(hook, request, context);
  } catch (thrown) {
    // Nobody foresaw it. It must not be the end of the server, nor of the other runs.
    const failure = thrown instanceof Error ? thrown.message : String(thrown);
    context.log(`error running the command of ${hook.id}: ${failure}`);
    return { output: Buffer.alloc(0), failed: true, failure };
  }
}

async function runFound(
  hook: Hook,
  request: HookRequest,
  context: CommandContext,
): Promise<CommandResult> {
  const { log } = context;
  let found: FoundCommand;
  try {
    found = findCommand(hook.executeCommand, hook.workingDirectory, context.env.searchPath);
  } catch (thrown) {
    if (!(thrown instanceof GoFault)) throw thrown;
    log(`error in ${thrown.message}`);
    const [word] = hook.executeCommand.trim().split(/\s+/);
    if (hook.executeCommand.includes(' ')) {
      log(`use 'pass-arguments-to-command' to specify args for '${word}'`);
    }
    return { output: Buffer.alloc(0), failed: true, failure: thrown.message };
  }
  const input = commandInput(hook, request, context.isFirstUse);
  for (const { line, bare } of input.notes) (bare ? context.logBare : log)(line);
  const files = await writeFiles(hook, input, context);
  let result: CommandResult;
  try {
    result = await runWith(hook, found, input, files, context);
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
}

/** A file that was written for a command. */
interface WrittenFile {
  readonly variable: string;
  readonly path: string;
}

async function runWith(
  hook: Hook,
  found: FoundCommand,
  input: CommandInput,
  files: readonly WrittenFile[],
  context: CommandContext,
): Promise<CommandResult> {
  const { log } = context;
  const env = [...input.env, ...files.map(({ variable, path }) => `${variable}=${path}`)];
  if (context.logOn) {
    const quoted = input.argv.map(goQuote).join(' ');
    log(
      `executing ${hook.executeCommand} (${found.shown}) with arguments [${quoted}] and environment [${harmlessLine(env.join(' '))}] using ${hook.workingDirectory} as cwd`,
    );
  }
  const kept = new KeptOutput(context.maxOutput);
  const { maxOutput, onOutput } = context;
  const hasLimits = hook.limits !== undefined || hook.timeoutMs > 0;
  const plan = {
    ...found,
    argv: input.argv,
    env: context.env.with(env),
    workingDirectory: hook.workingDirectory,
    timeoutMs: hook.timeoutMs,
    ownGroup: hook.timeoutMs > 0,
    outputUnwanted: maxOutput === 0 && !onOutput && !hasLimits && files.length === 0,
    onOutput: (chunk: Buffer) => {
      kept.push(chunk);
      return onOutput?.(chunk);
    },
  };
  const failure = chdirFailure(hook.workingDirectory) ?? (await runProcess(plan, context.starter));
  const output = kept.bytes();
  if (context.logOn) log(`command output: ${nameFromBytes(output)}${kept.missingNote()}\n`);
  if (failure !== undefined) log(`error occurred: ${failure}`);
  return { output, failed: failure !== undefined, ...(failure !== undefined && { failure }) };
}

async function writeFiles(
  hook: Hook,
  { files }: CommandInput,
  { env, log }: CommandContext,
): Promise<WrittenFile[]> {
  const folder = resolve(hook.workingDirectory || env.temporary);
  const written: WrittenFile[] = [];
  for (const { variable, content } of files) {
    try {
      const path = await writeTemporaryFile(folder, variable, content);
      log(`writing env ${variable} file ${path}`);
      written.push({ variable, path });
    } catch (thrown) {
      log(`error creating temp file [${(thrown as Error).message}]`);
    }
  }
  return written;
}

function chdirFailure(folder: string): string | undefined {
  if (folder === '') return undefined;
  try {
    if (statSync(folder).isDirectory()) return undefined;
    return `chdir ${folder}: not a directory`;
  } catch (thrown) {
    return `chdir ${folder}: ${goErrno(thrown)}`;
  }
}

/**
 * Writes a file for a command, readable by its user only, named after a variable. Rejects with an error whose
 * message is for the log.
 */
async function writeTemporaryFile(
  folder: string,
  variable: string,
  content: Uint8Array,
): Promise<string> {
  if (variable.includes('/')) {
    throw new Error(`createtemp ${variable}: pattern contains path separator`);
  }
  const star = variable.lastIndexOf('*');
  const [before, after] =
    star < 0 ? [variable, ''] : [variable.slice(0, star), variable.slice(star + 1)];
  while (true) {
    const path = join(folder, `${before}${randomInt(2 ** 32)}${after}`);
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
      const { code, message } = thrown as NodeJS.ErrnoException;
      if (code === 'EEXIST') continue;
      const why = code === 'ENOENT' ? 'no such file or directory' : message;
      throw new Error(`open ${path}: ${why}`, { cause: thrown });
    }
  }
}
