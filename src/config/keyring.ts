import { execFile } from 'node:child_process';

/** A secret of the keyring, by its `service/account`. Rejects with an `Error`, and with the reason of the signal. */
export async function readKeyring(
  name: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<string> {
  const slash = name.indexOf('/');
  const [service, account] = [name.slice(0, Math.max(0, slash)), name.slice(slash + 1)];
  if (service === '' || account === '' || [service, account].some((one) => one.startsWith('-')))
    throw new Error('the name must be service/account');
  const isMac = process.platform === 'darwin';
  const program = isMac ? 'security' : 'secret-tool';
  const words = isMac
    ? ['find-generic-password', '-s', service, '-a', account, '-w']
    : ['lookup', 'service', service, 'username', account];
  return new Promise((resolve, reject) => {
    const options = { env, signal };
    const child = execFile(program, words, options, (error, stdout, stderr) => {
      if (signal.aborted) return reject(signal.reason);
      const value = stdout.replace(/\r?\n$/, '');
      if (error === null && value !== '') return resolve(value);
      const [line = ''] = stderr.trim().split('\n', 1);
      let why = line === '' ? 'not in the keyring' : `${program}: ${line}`;
      if (error?.code === 'ENOENT') {
        const advice = isMac ? '' : ': install the package libsecret-tools (libsecret)';
        why = `${program} is not installed${advice}`;
      }
      reject(new Error(why, { cause: error }));
    });
    child.stdin?.end();
  });
}
