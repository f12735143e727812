import type { ProgramIo } from '../process/program-io.ts';
import {
  argumentCounts,
  type CommandLine,
  type CommandSummary,
  usageLine,
  usageOf,
} from './command.ts';
import { readFlagPresets } from './flag-presets.ts';
import { flagSetOf, type KnownFlag } from './flag-set.ts';
import { nearestName } from './nearest-name.ts';
import { mayHoldBackendFlags, parseCommandLine, unknownFlags } from './parse-command-line.ts';
import { readRemoteGlobals } from './remote-globals.ts';

/** Parses a command line of syncer. Rejects with `usage`; the number of arguments is not checked. */
export async function readCommandLine(
  commands: readonly CommandSummary[],
  { argv, env }: Pick<ProgramIo, 'argv' | 'env'>,
): Promise<CommandLine> {
  // Help works with any file of defaults.
  const asksHelp = ['help', 'version', '--help', '-h'].includes(argv[0] ?? '');
  const presets = asksHelp ? undefined : await readFlagPresets(argv, env);
  const { globals, config } = await readRemoteGlobals(argv, env);
  const inFile = presets?.presets.map(({ name }) => `--${name}`) ?? [];
  const line = parseCommandLine(argv, {
    commands,
    backendFlags: await loadBackendFlags(commands, [...argv, ...inFile], env),
    env,
    presets,
    globals,
    nowMs: Date.now(),
  });
  return config === undefined ? line : { ...line, config };
}

/** The flags of backends, if the words may hold some; those of rclone's are asked of it only for one that may be theirs. */
async function loadBackendFlags(
  commands: readonly CommandSummary[],
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<readonly KnownFlag[]> {
  if (!mayHoldBackendFlags(commands, argv)) return [];
  const { backendFlags } = await import('./backend-flags.ts');
  const own = backendFlags();
  const unknown = unknownFlags(commands, argv, own);
  if (unknown.length === 0) return own;
  const { flagsOfRclone } = await import('./rclone-flags.ts');
  return [
    ...own,
    ...(await flagsOfRclone(unknown, flagSetOf(commands, undefined, own), argv, env)),
  ];
}

/** What is wrong with the arguments of a command; `undefined` if they are as many as it takes. */
export function wrongArguments(
  summary: CommandSummary,
  args: readonly string[],
): string | undefined {
  const command = usageOf(summary, args);
  const { name, subcommands } = summary;
  const [typed] = args;
  if (command === summary && typed !== undefined && subcommands !== undefined) {
    const names = subcommands.map((one) => one.name);
    const nearest = nearestName(typed, names);
    const hint = nearest === undefined ? `use ${names.join(', ')}` : `did you mean ${nearest}?`;
    return `unknown command: ${name} ${typed} (${hint})`;
  }
  const [min, max] = argumentCounts(command);
  const count = command === summary ? args.length : args.length - 1;
  if (count >= min && count <= max) return undefined;
  const wanted = min === max ? `${min}` : count < min ? `at least ${min}` : `at most ${max}`;
  const noun = wanted.endsWith('1') ? 'argument' : 'arguments';
  return `${command.name} takes ${wanted === '0' ? 'no' : wanted} ${noun}, not ${count}: ${usageLine(command)}`;
}
