import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Programs whose command line differs from syncer's; a row has the arguments for each. */
export const SPECIALISTS = ['s5cmd', 'rsync', 'cp', 'gdu', 'ncdu'] as const;

/** One of {@link SPECIALISTS}. */
export type Specialist = (typeof SPECIALISTS)[number];

/** A program to compare with. */
export interface Peer {
  /** Its name in the table. */
  readonly name: string;
  /** The program and its first arguments. */
  readonly command: readonly string[];
  /** Which arguments it takes; absent for those of rclone, which syncer takes too. */
  readonly specialist?: Specialist;
}

/** The peers of a run without `--peer`, of those that are installed. */
export function installedPeers(): Peer[] {
  return ['rclone', ...SPECIALISTS].filter(isOnPath).map((name) => readPeer(`${name}=${name}`));
}

/**
 * Reads `NAME=COMMAND`, for example `rclone-1.75=/opt/rclone/rclone`. The command is separated at spaces. The part of
 * the name before `-` decides which arguments the program gets.
 *
 * @throws Error if a part is missing
 */
export function readPeer(text: string): Peer {
  const [, name, command] = /^([^=\s]+)=\s*(\S.*)$/.exec(text) ?? [];
  if (name === undefined || command === undefined) {
    throw new Error(`--peer ${text}: write NAME=COMMAND`);
  }
  const kind = name.split('-', 1)[0];
  const specialist = SPECIALISTS.find((known) => known === kind);
  return { name, command: command.split(/\s+/), ...(specialist && { specialist }) };
}

/** The first line with a version that a program prints; `undefined` if it cannot be run. */
export function versionOf(program: readonly string[], how: string): string | undefined {
  const [file = '', ...args] = program;
  try {
    const output = execFileSync(file, [...args, how], { encoding: 'utf8' });
    return output.split('\n').find((line) => /\d\.\d/.test(line));
  } catch {
    return undefined;
  }
}

/** How a peer is asked for its version. */
export function versionArgument({ specialist }: Peer): string {
  return specialist === undefined || specialist === 's5cmd' ? 'version' : '--version';
}

function isOnPath(name: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
