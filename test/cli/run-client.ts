import { execFile } from 'node:child_process';

/** Runs another program; `output` is what it wrote to both streams, standard output first. */
export function runProgram(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ code: number; output: string }> {
  const all: NodeJS.ProcessEnv = { ...process.env, LC_ALL: 'C.UTF-8', TZ: 'UTC', ...env };
  // rclone 1.60.1 does not start with it.
  delete all['AWS_CA_BUNDLE'];
  return new Promise((resolve) => {
    execFile(program, [...args], { env: all, maxBuffer: 1 << 27 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, output: stdout + stderr });
    });
  });
}

/** The version of a program; `undefined` where it is not installed. */
export async function findProgram(program: 'rclone' | 's3cmd'): Promise<string | undefined> {
  const ask = program === 'rclone' ? 'version' : '--version';
  const { code, output } = await runProgram(program, [ask], {});
  return code === 0 ? /\d+\.\d+[.\d]*/.exec(output)?.[0] : undefined;
}
