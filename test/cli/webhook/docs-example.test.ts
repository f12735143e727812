import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { PROGRAMS, startWebhook } from '../../support/webhook-beside.ts';

const page = resolve(import.meta.dirname, '../../../docs/webhook.md');

test('the example of the documentation passes the check and does what is said of it', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'webhook-docs-'));
  try {
    const example = /```json\n(.*?)```/s.exec(await readFile(page, 'utf8'))?.[1] ?? '';
    await writeFile(join(cwd, 'webhook-key'), 'key\n');
    await writeFile(join(cwd, 'hooks.json'), example);
    const env = { CREDENTIALS_DIRECTORY: cwd };
    const [command, ...words] = PROGRAMS.ours;
    const checked = spawnSync(command, [...words, '-check', 'hooks.json'], {
      ...{ cwd, encoding: 'utf8', env: { ...env, PATH: process.env['PATH'] } },
    });
    expect(checked).toMatchObject({ status: 0, stderr: '' });
    const harmless = example.replace('/usr/bin/syncer', '/bin/echo').replace('/srv/site"', '/"');
    await writeFile(join(cwd, 'hooks.json'), harmless);
    const server = await startWebhook('ours', { cwd, env, args: ['-verbose'] });
    try {
      const push = async (ref: string) => {
        const body = JSON.stringify({ ref });
        const signature = createHmac('sha256', 'key').update(body).digest('hex');
        const head = `Content-Type: application/json\r\nX-Hub-Signature-256: sha256=${signature}`;
        return server.exchange(
          `POST /hooks/publish HTTP/1.0\r\n${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        );
      };
      expect(await push('refs/heads/main')).toMatch(/^HTTP\/1\.0 200 .*publishing\n$/s);
      expect(await push('refs/heads/other')).toMatch(/^HTTP\/1\.0 403 /);
    } finally {
      server.kill('SIGTERM');
      await server.ended;
    }
    expect(server.seen.stderr).toContain('"sync" "/srv/site/public" "store:site"');
  } finally {
    await rm(cwd, { recursive: true, force: true, maxRetries: 5 });
  }
});
