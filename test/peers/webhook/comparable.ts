import { waitFor } from '../../support/wait-for.ts';
import type { WebhookServer } from '../../support/webhook-beside.ts';

/** An answer with what differs from run to run taken out; the order of headers means nothing. */
function comparable(answer: string): string {
  const lines = answer.replace(/Date: .*/g, 'Date: D').split('\r\n');
  return lines.sort().join('\n');
}

/** What a parser says of a broken payload is its own. */
const OF_A_PARSER =
  /(error parsing (?:JSON (?:array )?payload|JSON \w+:|XML payload:|multipart form:) |error decoding string ).*/g;

/** Log lines that can be compared; lines of a command that nobody waits for come when they come. */
export function comparableLog(log: string): string[] {
  return log
    .replace(/^\[webhook\] [\d/]+ [\d:]+ (\[\w{6}\] )?/gm, '| ')
    .replace(OF_A_PARSER, '$1WHY')
    .replace(/from 127\.0\.0\.1:\d+/g, 'from A')
    .replace(/\| [\d.]+(?:ns|µs|ms|s|m)+ \|/g, '| T |')
    .replace(/(HOOK_[A-Z]+|NAMED)\d{3,}/g, '$1N')
    .replace(/\/tmp\/webhook-(?:ours|theirs)-\w+/g, 'TMP')
    .split('\n')
    .sort();
}

/** What a request brings: the answer, and the lines that it adds to the log. */
export async function askLogged(server: WebhookServer, request: string | Uint8Array) {
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
