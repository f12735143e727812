import { keyOfPassword } from '../../src/config/encrypted-config.ts';
import { SyncerError } from '../../src/core/errors.ts';
import type { ConfigJob, RunConfig } from './config-job.ts';

const NEW_PASSWORD = 'SYNCER_NEW_CONFIG_PASS';

/** `syncer config encryption` */
export const encryption: RunConfig = async (job) => {
  const [action] = job.args;
  switch (action) {
    case 'set': {
      // The password that it has is asked for before the new one.
      await job.file.read();
      const key = keyOfPassword(await newPassword(job));
      await job.file.update(
        (lines) => lines,
        () => key,
      );
      return;
    }
    case 'remove':
      await job.file.update(
        (lines) => lines,
        () => undefined,
      );
      return;
    case 'check':
      if ((await job.file.key()) !== undefined) return;
      throw new SyncerError('command-line', 'the config file is not encrypted');
    default:
      throw new SyncerError(
        'command-line',
        `unknown action "${action}": use config encryption set, remove or check`,
      );
  }
};

async function newPassword({ invocation: { env, ask } }: ConfigJob): Promise<string> {
  const given = env[NEW_PASSWORD] ?? (await askTwice(ask));
  if (given === undefined) {
    throw new SyncerError(
      'config',
      `no terminal to ask on: set ${NEW_PASSWORD} to the new password`,
    );
  }
  if (given.trim() === '') throw new SyncerError('usage', 'the new password is empty');
  return given;
}

async function askTwice(ask: ConfigJob['invocation']['ask']): Promise<string | undefined> {
  const first = await ask?.('Enter NEW configuration password:');
  if (first === undefined) return undefined;
  if ((await ask?.('Confirm NEW configuration password:')) === first) return first;
  throw new SyncerError('usage', 'the two passwords differ: nothing was changed');
}
