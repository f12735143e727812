import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { hasWebhook, startWebhook, type WebhookServer } from '../../support/webhook-beside.ts';
import { HOOKS } from './compared-hooks.ts';
import { CASES } from './hook-cases.ts';

/** An answer with what differs from run to run taken out; the order of headers means nothing. */
function comparable(answer: string): string {
  const lines = answer.replace(/Date: .*/g, 'Date: D').split('\r\n');
  return lines.sort().join('\n');
}

/** Log lines that can be compared; lines of a command that nobody waits for come when they come. */
function comparableLog(log: string): string[] {
  return log
    .replace(/^\[webhook\] [\d/]+ [\d:]+ (\[\w{6}\] )?/gm, '| ')
    .replace(/from 127\.0\.0\.1:\d+/g, 'from A')
    .replace(/\| [\d.]+(?:ns|µs|ms|s|m)+ \|/g, '| T |')
    .replace(/(HOOK_[A-Z]+|NAMED)\d{3,}/g, '$1N')
    .replace(/\/tmp\/webhook-(?:ours|theirs)-\w+/g, 'TMP')
    .split('\n')
    .sort();
}

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

  /** What a request brings: the answer, and the lines that it adds to the log. */
  async function ask(server: WebhookServer, request: string | Uint8Array) {
    const before = server.seen.stderr.length;
    const answer = await server.exchange(request);
    const added = () => server.seen.stderr.slice(before);
    const count = (pattern: RegExp) => [...added().matchAll(pattern)].length;
    const triggered = () => count(/hook triggered successfully$/gm);
    const finished = () => count(/finished handling|\] error in exec/g);
    const asked = count(/incoming HTTP/g);
    await waitFor(() => count(/\] \d{3} \| /g) >= asked && finished() >= triggered());
    return { answer: comparable(answer), log: comparableLog(added()) };
  }

  test.each(CASES)('$name', async ({ request }) => {
    const [mine, reference] = [await ask(ours, request), await ask(theirs, request)];
    const hide = (text: string) =>
      text.replace(/letmein42|%6cetmein42/g, '***').replace(/([?&]token=)[^& \n]*/g, '$1***');
    expect(mine.answer).toBe(reference.answer);
    expect(mine.log).toEqual(comparableLog(hide(reference.log.join('\n'))));
  });
});
