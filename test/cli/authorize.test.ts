import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startTestGraph } from '../servers/graph/start-graph.ts';
import { makeSyncerWorld } from '../support/run-syncer.ts';
import { findFreePort } from './free-port.ts';

test.each([
  ['opens the browser', [], true],
  ['only prints the link with --auth-no-open-browser', ['--auth-no-open-browser'], false],
])('authorize %s', async (_, flags, opens) => {
  const [graph, world] = await Promise.all([startTestGraph(), makeSyncerWorld()]);
  try {
    const opened = join(world.dir, 'opened');
    const browser = join(world.dir, 'browser');
    await writeFile(browser, `#!/bin/sh\necho "$1" > '${opened}'\n`, { mode: 0o755 });
    const urls = ['--onedrive-auth-url', graph.authUrl, '--onedrive-token-url', graph.tokenUrl];
    const port = String(await findFreePort());
    const { seen, ended } = world.start(
      ['authorize', 'onedrive', graph.clientId, '--auth-port', port, ...urls, ...flags],
      { env: { BROWSER: browser } },
    );
    const link = () => /http:\S+(?=\n)/.exec(seen.stderr)?.[0] ?? '';
    await expect.poll(link).not.toBe('');
    if (opens) await expect.poll(() => existsSync(opened)).toBe(true);
    expect((await fetch(link())).status).toBe(200);
    const { code, stdout } = await ended;
    expect({ code, token: stdout.toString() }).toMatchObject({
      ...{ code: 0, token: expect.stringContaining('"access_token"') },
    });
    expect(existsSync(opened)).toBe(opens);
  } finally {
    await Promise.all([graph.stop(), world.remove()]);
  }
});

test('the link of config create stands at the end of its line', async () => {
  const [graph, world] = await Promise.all([startTestGraph(), makeSyncerWorld()]);
  try {
    const port = String(await findFreePort());
    const client = [`client_id=${graph.clientId}`, 'client_secret=s'];
    const urls = [`auth_url=${graph.authUrl}`, `token_url=${graph.tokenUrl}`];
    const login = ['config_is_local=true', '--auth-no-open-browser', '--auth-port', port];
    const create = ['config', 'create', 'q', 'onedrive'];
    const { seen } = world.start([...create, ...client, ...urls, ...login]);
    const link = () => /http:\/\/127\S+(?=\n)/.exec(seen.stderr)?.[0] ?? '';
    await expect.poll(link).not.toBe('');
    expect(seen.stderr).not.toContain('␊');
    expect((await fetch(link(), { redirect: 'manual' })).status).toBeLessThan(400);
  } finally {
    await Promise.all([graph.stop(), world.remove()]);
  }
});
