import { hasCode, SyncerError, toSyncerError } from '../core/errors.ts';
import { nameToBytes } from '../core/name-bytes.ts';
import { harmlessLine } from '../core/shown-text.ts';
import {
  type CommandLine,
  type CommandSummary,
  subcommandsOf,
  usageOf,
} from '../shell/command-line/command.ts';
import { readCommandLine, wrongArguments } from '../shell/command-line/read-command-line.ts';
import { KnownSecrets } from '../shell/log/known-secrets.ts';
import { createOutput } from '../shell/output/output.ts';
import type { ProgramIo } from '../shell/process/program-io.ts';
import { runCommand } from './run-command.ts';

/** Parses the command line and carries it out. Resolves to the exit code. */
export async function runProgram(
  commands: readonly CommandSummary[],
  io: ProgramIo,
): Promise<number> {
  let line: CommandLine | undefined;
  try {
    line = await readCommandLine(commands, io);
    const name = line.flags.version ? 'version' : line.command;
    const command = commands.find((one) => one.name === name);
    if (command === undefined) {
      const home = commands.find((one) => one.name === 'home');
      const { stdin, stdout } = io;
      const isTerminal = 'isTTY' in stdin && stdin.isTTY === true && stdout.isTTY === true;
      if (home !== undefined && !line.flags.help && isTerminal)
        return await runCommand(home, line, commands, io);
      return await printHelp(io, line);
    }
    if (line.flags.help) return await printHelp(io, line, command, commands);
    const complaint = line.flags.version ? undefined : wrongArguments(command, line.args);
    if (complaint !== undefined) return complain(io, new SyncerError('command-line', complaint));
    if (command.expand !== undefined) {
      const argv = await command.expand(line, { commands, env: io.env });
      return await runProgram(commands, { ...io, argv });
    }
    return await runCommand(command, line, commands, io);
  } catch (thrown) {
    if (hasCode(thrown, 'config')) return complain(io, thrown);
    if (!hasCode(thrown, 'command-line') && !hasCode(thrown, 'usage')) throw thrown;
    if (line?.flags['log-level'] === 'debug') await tellVariables(line, io);
    const { message, nameFault, advice = 'see "syncer help"' } = thrown;
    return complain(io, thrown, nameFault === 'misspelt' ? message : `${message}; ${advice}`);
  }
}

/** Logs the variables that set contradictory flags. */
async function tellVariables({ flags, variables }: CommandLine, io: ProgramIo): Promise<void> {
  const [{ openRunLog }, { variableMessages }, { readLogFormat }] = await Promise.all([
    import('../shell/log/run-log.ts'),
    import('../shell/command-line/flag-notices.ts'),
    import('../shell/log/log-record.ts'),
  ]);
  const layout = {
    format: readLogFormat(flags['log-format']),
    systemd: flags['log-systemd'],
    pid: process.pid,
  };
  const log = openRunLog({ level: 'debug', json: false, file: undefined, layout }, (text) =>
    io.stderr.write(nameToBytes(text)),
  );
  for (const message of variableMessages(variables))
    log.write({ timeMs: Date.now(), level: 'debug', message });
}

/** Prints the help of a command, or else of the program. */
async function printHelp(
  io: ProgramIo,
  { args, flags }: CommandLine,
  command?: CommandSummary,
  commands: readonly CommandSummary[] = [],
): Promise<number> {
  const [{ commandHelp, programHelp }, { helpStyle }] = await Promise.all([
    import('../shell/help/help-text.ts'),
    import('../shell/help/help-style.ts'),
  ]);
  const { env, stdout, signal } = io;
  const style = helpStyle(stdout, env, flags.color);
  const usage = command && usageOf(command, args);
  const subcommands = command !== undefined && usage === command ? subcommandsOf(command) : [];
  const parts = { subcommands, commands, env, style };
  const out = createOutput(stdout, { colour: style.bold, isTerminal: false }, () => {}, signal);
  await out.write(usage === undefined ? programHelp(style) : commandHelp(usage, parts));
  await out.flush();
  return signal.aborted ? toSyncerError(signal.reason).exit : 0;
}

/** Writes the error, or `message` instead; returns its exit code. */
function complain(io: ProgramIo, error: SyncerError, message: string = error.message): number {
  const secrets = new KnownSecrets(io.argv, io.env);
  io.stderr.write(nameToBytes(`Error: ${harmlessLine(secrets.hide(message))}\n`));
  return error.exit;
}
