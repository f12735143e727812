import type { RcloneToAsk } from './index.ts';
import { checkVersion, findRclone, versionOf } from './rclone-program.ts';

/** The rclone that opens remotes. */
export interface InstalledRclone {
  readonly path: string;
  /** `1.75.2`; `''` if the program does not print it. */
  readonly version: string;
}

/** Rejects with `config` if there is none or it is too old; `type` is the type of remote that needs it. */
export async function installedRclone(
  { program, env }: RcloneToAsk,
  type?: string,
): Promise<InstalledRclone> {
  const path = await findRclone(program, env, type);
  const version = await versionOf(path, env);
  checkVersion(version, path);
  return { path, version: version.replace(/^v/, '') };
}

/** What a remote is opened through, in a few words. Never rejects. */
export function throughRclone(asked: RcloneToAsk): Promise<string> {
  return installedRclone(asked).then(
    ({ version }) => `through rclone ${version}`.trimEnd(),
    ({ message }: Error) => message,
  );
}
