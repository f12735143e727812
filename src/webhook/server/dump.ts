import { nameFromBytes } from '../../core/name-bytes.ts';
import { type HookAnswer, sentHeaders, statusText } from '../http/answer.ts';
import type { RequestHead } from '../http/request-head.ts';

/** A request as `-debug` shows it. */
export function dumpRequest(
  id: string,
  { method, target, version, host, headers }: RequestHead,
  body: Uint8Array,
): string {
  const named = [...headers].sort(([a], [b]) => (a < b ? -1 : 1));
  const lines = [
    `${method} ${target} ${version}`,
    `Host: ${host}`,
    ...named.flatMap(([name, values]) => values.map((value) => `${name}: ${value}`)),
    '',
    ...bodyLines(body),
  ];
  return lines.map((line) => `> [${id}] ${line}\n`).join('');
}

const NO_BODY = Buffer.alloc(0);

/** An answer as `-debug` shows it: with the headers that were set, without what is added to them. */
export function dumpAnswer(id: string, answer: HookAnswer): string {
  const head = `${answer.status} ${statusText(answer.status) ?? ''}`;
  const headers = [...sentHeaders({ ...answer, body: NO_BODY })].map(
    ([name, value]) => `${name}: ${value}`,
  );
  const lines = [` ${head}`, ...headers.map((line) => ` ${line}`)];
  if (answer.body.length > 0) lines.push('', ...bodyLines(answer.body).map((line) => ` ${line}`));
  return lines.map((line) => `< [${id}]${line}\n`).join('');
}

function bodyLines(body: Uint8Array): string[] {
  if (body.length === 0) return [];
  return nameFromBytes(body)
    .replace(/\r?\n$/, '')
    .split(/\r?\n/);
}
