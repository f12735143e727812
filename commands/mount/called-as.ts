/** The environment variable of a process started by `--daemon`. */
export const DAEMON_MARK = '_SYNCER_DAEMON';

/** The names by which mount(8) calls a helper program. */
const HELPER = /(^|\/)(mount\.(fuse\.)?syncer|syncerfs)$/;

/**
 * The words after the program's name, however it was called. Those of mount(8) are translated: called as
 * `mount.syncer`, with that as the first word from a script at the place of its helpers, or as a program of fuse by
 * `remote:path /mnt -o options`.
 */
export async function calledAs(
  program: string,
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ readonly argv: readonly string[]; readonly env: NodeJS.ProcessEnv }> {
  const [first = '', , third] = argv;
  const isByFuse = argv.length === 4 && third === '-o' && /[:/]/.test(first);
  const isByScript = first === 'mount.syncer';
  const isHelper = HELPER.test(program) || isByFuse || isByScript;
  if (env[DAEMON_MARK] !== undefined || !isHelper) return { argv, env };
  const { fstabLine } = await import('./fstab-line.ts');
  const line = fstabLine(isByScript ? argv.slice(1) : argv);
  return { argv: line.argv, env: { ...env, ...line.env } };
}
