import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ImportedRemote, ImportOutcome } from '../../config/import-remotes.ts';
import { rcloneConfigPath } from '../../config/rclone-config-path.ts';
import { SyncerError } from '../../core/errors.ts';
import { type ConfigJob, notice, type RunConfig } from './config-job.ts';
import { foreignPassword, readForeign, takeOver } from './foreign-config.ts';

/** What is printed behind the name and type of a remote that was not simply taken over. */
const REMARKS: Readonly<Record<ImportOutcome, string>> = {
  imported: 'imported',
  replaced: 'replaced the one of this name',
  unchanged: 'is here already',
  exists: 'left out: another one of this name is here (--force replaces it)',
  unsupported: 'left out: syncer does not know this type',
  'leads-nowhere': 'left out: syncer does not have what it stands for',
  invalid: 'left out: it has no type, or a name that no remote may have',
};

/** The same where nothing was written. */
const INTENTIONS: Readonly<Partial<Record<ImportOutcome, string>>> = {
  imported: 'would be imported',
  replaced: 'would replace the one of this name',
};

/** `syncer config import` */
export const importConfig: RunConfig = async (job) => {
  const { flags, env, out, context, ask } = job.invocation;
  const path = await foreignPath(job);
  if (path === job.file.path) {
    throw new SyncerError('usage', `"${path}" is the config file of syncer itself`);
  }
  const password = foreignPassword(flags['password-command'], env, ask);
  const foreign = await readForeign(path, context.emit, password);
  const { remotes, isWritten, isExposed } = await takeOver(job.file, foreign, flags.force);
  if (isExposed) {
    notice(
      job,
      `"${path}" is encrypted, but the config file of syncer is not: see config encryption`,
    );
  }
  await out.write(remotes.map((remote) => line(remote, isWritten)).join(''));
};

async function foreignPath({ args: [given], invocation: { env } }: ConfigJob): Promise<string> {
  const path = given === undefined ? await rcloneConfigPath(env) : resolve(given);
  if (path === undefined) {
    throw new SyncerError('config', 'no configuration of rclone was found: name its file');
  }
  const exists = await access(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  );
  if (!exists) throw new SyncerError('config', `there is no file "${path}"`);
  return path;
}

function line({ name, type, outcome }: ImportedRemote, isWritten: boolean): string {
  const remark = (isWritten ? undefined : INTENTIONS[outcome]) ?? REMARKS[outcome];
  return `${name}: ${type === '' ? '' : `(${type}) `}${remark}\n`;
}
