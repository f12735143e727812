import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import { OWN_TYPES } from '../../src/backends/index.ts';
import { rcloneConfigPath } from '../../src/config/config-path.ts';
import type { ImportedRemote, ImportOutcome } from '../../src/config/import-remotes.ts';
import { counted } from '../../src/core/counted.ts';
import { SyncerError } from '../../src/core/errors.ts';
import { type ConfigJob, notice, type RunConfig } from './config-job.ts';
import { foreignPassword, readForeign, takeOver } from './foreign-config.ts';

/** Printed after the name and type of a remote that was changed or skipped. */
const REMARKS: Readonly<Record<ImportOutcome, string>> = {
  imported: 'imported',
  replaced: 'replaced',
  unchanged: 'skipped: already imported',
  exists: 'skipped: the name is taken (--force replaces it)',
  'leads-nowhere': 'skipped: the remote that it stands for does not exist',
  invalid: 'skipped: no type, or an invalid name',
};

/** The same if nothing was written. */
const INTENTIONS: Readonly<Partial<Record<ImportOutcome, string>>> = {
  imported: 'would be imported',
  replaced: 'would be replaced',
};

/** `syncer config import` */
export const importConfig: RunConfig = async (job) => {
  const { flags, env, out, context, ask } = job.invocation;
  const path = await foreignPath(job);
  if (path === job.file.path) {
    throw new SyncerError('usage', `"${path}" is syncer's own configuration file`);
  }
  const password = foreignPassword(flags['password-command'], env, ask);
  const foreign = await readForeign(path, context.emit, password);
  const { remotes, isWritten, isExposed } = await takeOver(job.file, foreign, flags.force);
  if (isExposed) {
    notice(
      job,
      `"${path}" is encrypted, but syncer's configuration file is not: see config encryption`,
    );
  }
  await out.write(remotes.map((remote) => line(remote, isWritten)).join(''));
  notice(job, summary(remotes, isWritten));
};

/** How many remotes were imported and skipped, what to do about the skipped ones, and which need rclone. */
function summary(remotes: readonly ImportedRemote[], isWritten: boolean): string {
  const done = remotes.filter(({ outcome }) => outcome === 'imported' || outcome === 'replaced');
  const equal = remotes.filter(({ outcome }) => outcome === 'unchanged').length;
  const skipped = remotes.length - done.length - equal;
  const others = done.filter(({ type }) => !OWN_TYPES.has(type)).map(({ name }) => name);
  return [
    `${counted(done.length, 'remote')} ${isWritten ? '' : 'would be '}imported`,
    ...(equal > 0 ? [`, ${equal} were there already`] : []),
    ...(skipped > 0
      ? [`, ${skipped} skipped: change what is wrong with each, and import again`]
      : []),
    ...(others.length > 0 ? [`; opened through an installed rclone: ${others.join(', ')}`] : []),
  ].join('');
}

async function foreignPath({ args: [given], invocation: { env } }: ConfigJob): Promise<string> {
  const path = given === undefined ? await rcloneConfigPath(env) : resolve(given);
  if (path === undefined) {
    throw new SyncerError('config', 'no rclone configuration found: give its path');
  }
  const exists = await access(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  );
  if (!exists) throw new SyncerError('config', `file not found: "${path}"`);
  return path;
}

function line({ name, type, outcome }: ImportedRemote, isWritten: boolean): string {
  const remark = (isWritten ? undefined : INTENTIONS[outcome]) ?? REMARKS[outcome];
  return `${name}: ${type === '' ? '' : `(${type}) `}${remark}\n`;
}
