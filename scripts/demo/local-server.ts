import type { Stage } from './stage.ts';

/** The keys of the demo's server. */
export const KEYS = { id: 'demo-key', secret: 'demo-secret' };

/**
 * Starts `syncer serve s3` on a free port of loopback, with `store` as its folder.
 *
 * @param program how syncer is called
 * @returns where it answers, once it does; rejects where it ends instead
 */
export function startServer(stage: Stage, program: readonly string[]): Promise<string> {
  const args = [
    'serve',
    's3',
    'store',
    '--addr',
    '127.0.0.1:0',
    '--auth-key',
    `${KEYS.id},${KEYS.secret}`,
  ];
  return new Promise((resolve, reject) => {
    let seen = '';
    const server = stage.start([...program, ...args], (text) => {
      seen += text;
      const address = /http:\/\/127\.0\.0\.1:\d+/.exec(seen)?.[0];
      if (address !== undefined) resolve(address);
    });
    server.once('error', reject);
    server.once('exit', (code) => reject(new Error(`the server ended (exit ${code})`)));
  });
}

/** The section of a configuration for a remote of this server. */
export function remoteLines(name: string, endpoint: string): readonly string[] {
  return [
    `[${name}]`,
    'type = s3',
    'provider = Other',
    `access_key_id = ${KEYS.id}`,
    `secret_access_key = ${KEYS.secret}`,
    `endpoint = ${endpoint}`,
  ];
}
