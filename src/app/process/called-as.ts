import { DAEMON_MARK } from '../mount/daemon-message.ts';

/** What the program is to do, however it was called. */
export interface CalledAs {
  /** The words after the program's name. */
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** The names by which mount(8) calls a program to mount for it. */
const HELPER = /(^|\/)(mount\.(fuse\.)?syncer|syncerfs)$/;

/**
 * Takes the words as they are, but for those of mount(8): called as `mount.syncer`, or as a program of fuse by
 * `remote:path /mnt -o options`, it is to mount.
 *
 * @param program the path by which the program was called
 */
export async function calledAs(
  program: string,
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<CalledAs> {
  const [first = '', , third] = argv;
  const isByFuse = argv.length === 4 && third === '-o' && /[:/]/.test(first);
  if (env[DAEMON_MARK] !== undefined || !(HELPER.test(program) || isByFuse)) return { argv, env };
  const { fstabLine } = await import('../mount/fstab-line.ts');
  const line = fstabLine(argv);
  return { argv: line.argv, env: { ...env, ...line.env } };
}
