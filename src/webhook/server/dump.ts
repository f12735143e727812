import { nameToBytes } from '../../core/name-bytes.ts';
import { type HookAnswer, NO_BODY, sentHeaders, statusText } from '../http/answer.ts';
import type { RequestHead } from '../http/request-head.ts';
import { type Redact, redactHeader, shownBytes } from '../log/redact.ts';

/** A request as `-debug` shows it; target and body have nothing under the names of secrets. */
export function dumpRequest(
  id: string,
  { method, target, version, host, headers }: RequestHead,
  body: string,
  redact: Redact,
): string {
  const named = [...headers].sort(([a], [b]) => (a < b ? -1 : 1));
  const lines = [
    `${method} ${target} ${version}`,
    `Host: ${host}`,
    ...named.flatMap(([name, values]) =>
      values.map((value) => `${name}: ${redactHeader(name, value, redact)}`),
    ),
    '',
    ...bodyLines(nameToBytes(body), redact),
  ];
  return lines.map((line) => `> [${id}] ${line}\n`).join('');
}

/** An answer as `-debug` shows it: with the headers that were set, without what is added to them. */
export function dumpAnswer(id: string, answer: HookAnswer, redact: Redact): string {
  const head = `${answer.status} ${statusText(answer.status) ?? ''}`;
  const headers = [...sentHeaders({ ...answer, body: NO_BODY })].map(
    ([name, value]) => `${name}: ${redactHeader(name, value, redact)}`,
  );
  const lines = [` ${head}`, ...headers.map((line) => ` ${line}`)];
  const body = bodyLines(answer.body, redact);
  if (body.length > 0) lines.push('', ...body.map((line) => ` ${line}`));
  return lines.map((line) => `< [${id}]${line}\n`).join('');
}

/** Secrets may have several lines: they are hidden before something stands between these. */
function bodyLines(body: Uint8Array, redact: Redact): string[] {
  if (body.length === 0) return [];
  return shownBytes(body, body.length, redact)
    .replace(/\r?\n$/, '')
    .split(/\r?\n/);
}
