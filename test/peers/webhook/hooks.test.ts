import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { askLogged, asOurs, HOOK_ARGS } from '../../cases/comparable.ts';
import { HOOKS } from '../../cases/compared-hooks.ts';
import { CASES } from '../../cases/hook-cases.ts';
import { checkRecord } from '../../support/record.ts';
import { hasWebhook, startWebhook, type WebhookServer } from '../../support/webhook-beside.ts';

// test/recorded/hooks.test.ts compares ours with the same record.

describe.skipIf(!hasWebhook)("Debian's webhook 2.8.0 does as the record says", () => {
  let cwd: string;
  let server: WebhookServer;

  beforeAll(async () => {
    cwd = await mkdtemp(join(tmpdir(), 'webhook-hooks-'));
    await writeFile(join(cwd, 'hooks.json'), JSON.stringify(HOOKS));
    server = await startWebhook('theirs', { cwd, args: HOOK_ARGS });
  });
  afterAll(async () => {
    server.kill('SIGTERM');
    await server.ended;
    await rm(cwd, { recursive: true });
  });

  const names = CASES.map(({ name }) => name);
  const check = checkRecord('hooks', names);
  test.each(CASES)('$name', async ({ name, request }) => {
    check(name, asOurs(await askLogged(server, request)));
  });
});
