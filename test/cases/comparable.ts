import { waitFor } from '../support/wait-for.ts';
import type { WebhookServer } from '../support/webhook-beside.ts';

/** An answer with what differs from run to run taken out; the order of headers means nothing. */
function comparable(answer: string): string {
  const lines = answer.replace(/Date: .*/g, 'Date: D').split('\r\n');
  return lines.sort().join('\n');
}

/** What a parser says of a broken payload is its own. */
const OF_A_PARSER =
  /(error parsing (?:JSON (?:array )?payload|JSON \w+:|XML payload:|multipart form:) |error decoding string ).*/g;

/** Log lines that can be compared; lines of a command that nobody waits for come when they come. */
function comparableLog(log: string): string[] {
  return log
    .replace(/^\[webhook\] [\d/]+ [\d:]+ (\[\w{6}\] )?/gm, '| ')
    .replace(OF_A_PARSER, '$1WHY')
    .replace(/from 127\.0\.0\.1:\d+/g, 'from A')
    .replace(/\| [\d.]+(?:ns|µs|ms|s|m)+ \|/g, '| T |')
    .replace(/(HOOK_[A-Z]+|NAMED)\d{3,}/g, '$1N')
    .replace(/[^\s"[]*\/webhook-hooks-\w+/g, 'TMP')
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

/** The flags that the servers of the cases get. */
export const HOOK_ARGS = ['-verbose', '-header', 'X-Set=1'];

/** A result of 2.8.0 as ours has to be: tokens and signatures are hidden in the log. */
export function asOurs({ answer, log }: Awaited<ReturnType<typeof askLogged>>) {
  const hidden = log
    .join('\n')
    .replace(/letmein42|%6cetmein42/g, '***')
    .replace(/([?&]token=)[^& \n]*/g, '$1***')
    .replace(/(invalid payload signatures? \[?)[0-9a-f]{4,}\b/gi, '$1***');
  return { answer: withoutHeader(answer), log: comparableLog(hidden) };
}

/** 2.8.0 has `-header` only on what hooks answer, and does not say that headers of Scalr are missing. */
export function asTheirs({ answer, log }: Awaited<ReturnType<typeof askLogged>>) {
  const shown = log.filter((line) => !line.includes('node not found: X-Signature'));
  return { answer: withoutHeader(answer), log: shown };
}

const withoutHeader = (answer: string) => answer.split('\n').filter((line) => line !== 'X-Set: 1');
