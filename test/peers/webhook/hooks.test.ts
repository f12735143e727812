import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasWebhook, startWebhook, type WebhookServer } from '../../support/webhook-beside.ts';
import { askLogged, comparableLog } from './comparable.ts';
import { HOOKS } from './compared-hooks.ts';
import { CASES, REFUSED } from './hook-cases.ts';

describe.skipIf(!hasWebhook)("beside Debian's webhook 2.8.0", () => {
  const folders: string[] = [];
  let ours: WebhookServer;
  let theirs: WebhookServer;

  beforeAll(async () => {
    [ours, theirs] = (await Promise.all(
      (['ours', 'theirs'] as const).map(async (whose) => {
        const cwd = await mkdtemp(join(tmpdir(), `webhook-${whose}-`));
        folders.push(cwd);
        await writeFile(join(cwd, 'hooks.json'), JSON.stringify(HOOKS));
        return startWebhook(whose, { cwd, args: ['-verbose', '-header', 'X-Set=1'] });
      }),
    )) as [WebhookServer, WebhookServer];
  });
  afterAll(async () => {
    for (const server of [ours, theirs]) server?.kill('SIGTERM');
    await Promise.all([ours, theirs].map((server) => server?.ended));
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
  });

  test.each(CASES)('$name', async ({ request }) => {
    const [mine, reference] = [await askLogged(ours, request), await askLogged(theirs, request)];
    const hide = (text: string) =>
      text
        .replace(/letmein42|%6cetmein42/g, '***')
        .replace(/([?&]token=)[^& \n]*/g, '$1***')
        .replace(/(invalid payload signatures? \[?)[0-9a-f]{4,}\b/gi, '$1***');
    // 2.8.0 has `-header` only on what hooks answer.
    const answers = [mine.answer, reference.answer].map((one) =>
      one.split('\n').filter((line) => line !== 'X-Set: 1'),
    );
    expect(answers[0]).toEqual(answers[1]);
    // 2.8.0 does not say that Scalr's headers are missing.
    const log = mine.log.filter((line) => !line.includes('node not found: X-Signature'));
    expect(log).toEqual(comparableLog(hide(reference.log.join('\n'))));
  });

  test.each(REFUSED)('$name is refused, and nothing is run', async ({ request }) => {
    const before = ours.seen.stderr;
    expect(await ours.exchange(request)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    await ours.exchange('GET / HTTP/1.0\r\n\r\n');
    expect(ours.seen.stderr.slice(before.length)).not.toContain('incoming HTTP');
  });
});
