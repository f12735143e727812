import { rm, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Hook, Parameter } from '../file/hook.ts';
import { GoFault } from '../go/go-fault.ts';
import { goQuote } from '../go/go-quote.ts';
import type { HookRequest } from '../parameter/hook-request.ts';
import { type CommandInput, commandInput } from './command-input.ts';
import { type FoundCommand, findCommand } from './find-command.ts';
import type { MakePipe } from './output-pipe.ts';
import { runProcess } from './run-process.ts';
import { writeTemporaryFile } from './temporary-file.ts';

/** How a command ended. */
export interface CommandResult {
  /** What it wrote; empty where nobody wanted it. */
  readonly output: Buffer;
  readonly failed: boolean;
}

/** What a command is run with. */
export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly makePipe: MakePipe | undefined;
  /** Whether a parameter is used for the first time since it was loaded. */
  readonly isFirstUse: (parameter: Parameter) => boolean;
  /** Takes lines about the request. */
  readonly log: (line: string) => void;
  /** Takes lines that do not name the request. */
  readonly logBare: (line: string) => void;
  /** The log is read by somebody, or the answer holds the output. */
  readonly keepOutput: boolean;
}

/** Runs a hook's command for a request. What goes wrong is logged; rejects never. */
export async function runCommand(
  hook: Hook,
  request: HookRequest,
  context: CommandContext,
): Promise<CommandResult> {
  const { log } = context;
  const none = { output: Buffer.alloc(0), failed: true };
  let found: FoundCommand;
  try {
    found = await findCommand(
      hook.executeCommand,
      hook.workingDirectory,
      context.env['PATH'] ?? '',
    );
  } catch (thrown) {
    if (!(thrown instanceof GoFault)) throw thrown;
    log(`error in ${thrown.message}`);
    const [word] = hook.executeCommand.trim().split(/\s+/);
    if (hook.executeCommand.includes(' ')) {
      log(`use 'pass-arguments-to-command' to specify args for '${word}'`);
    }
    return none;
  }
  const input = commandInput(hook, request, context.isFirstUse);
  for (const { line, bare } of input.notes) (bare ? context.logBare : log)(line);
  const files = await writeFiles(hook, input, context);
  const env = [...input.env, ...files.map(({ variable, path }) => `${variable}=${path}`)];
  const quoted = input.argv.map(goQuote).join(' ');
  log(
    `executing ${hook.executeCommand} (${found.shown}) with arguments [${quoted}] and environment [${env.join(' ')}] using ${hook.workingDirectory} as cwd`,
  );
  const chunks: Buffer[] = [];
  const failure =
    (await chdirFailure(hook.workingDirectory)) ??
    (await runProcess(
      {
        ...found,
        argv: input.argv,
        env: environment(context.env, env),
        workingDirectory: hook.workingDirectory,
        timeoutMs: hook.timeoutMs,
        onOutput: (chunk) => void (context.keepOutput && chunks.push(chunk)),
      },
      context.makePipe,
    ));
  const output = Buffer.concat(chunks);
  log(`command output: ${output}\n`);
  if (failure !== undefined) log(`error occurred: ${failure}`);
  for (const { path } of files) {
    log(`removing file ${path}`);
    await rm(path, { force: true }).catch((thrown: Error) => {
      log(`error removing file ${path} [${thrown.message}]`);
    });
  }
  log(`finished handling ${hook.id}`);
  return { output, failed: failure !== undefined };
}

async function writeFiles(
  hook: Hook,
  { files }: CommandInput,
  { env, log }: CommandContext,
): Promise<{ variable: string; path: string }[]> {
  const folder = resolve(hook.workingDirectory || env['TMPDIR'] || '/tmp');
  const written: { variable: string; path: string }[] = [];
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

/** The server's variables and those of the hook; of equal names the last counts. */
function environment(
  base: Readonly<Record<string, string | undefined>>,
  added: readonly string[],
): Record<string, string> {
  const all: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(base)) if (value !== undefined) all[name] = value;
  for (const pair of added) {
    const equals = pair.indexOf('=');
    delete all[pair.slice(0, equals)];
    all[pair.slice(0, equals)] = pair.slice(equals + 1);
  }
  return all;
}

async function chdirFailure(folder: string): Promise<string | undefined> {
  if (folder === '') return undefined;
  try {
    if ((await stat(folder)).isDirectory()) return undefined;
    return `chdir ${folder}: not a directory`;
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'no such file or directory' : message;
    return `chdir ${folder}: ${why}`;
  }
}
