import { toSyncerError } from '../../core/errors.ts';
import type { Emit } from '../../core/events.ts';
import type { HttpTrace, TracedBody } from '../../http/network-options.ts';
import type { Dump } from '../log/dump-list.ts';
import { KnownSecrets } from '../log/known-secrets.ts';
import { shownBody, shownHead } from '../log/secret-fields.ts';

const BEFORE_REQUEST = '>'.repeat(60);
const BEFORE_ANSWER = '<'.repeat(60);

/**
 * Logs requests and responses at level `debug`, as rclone's `--dump` does. Credentials are hidden without `--dump
 * auth`.
 */
export function httpDump(dumps: ReadonlySet<Dump>, emit: Emit): HttpTrace {
  const showsSecrets = dumps.has('auth');
  const tell = (separator: string, title: string, text: string) => {
    for (const line of [separator, title, text, separator]) {
      const fields = { text: line, lines: true, showsSecrets };
      emit({ type: 'log', level: 'debug', code: 'message', fields });
    }
  };
  /** What the requests under way log in with: an answer may quote it. */
  const sent = new Map<number, KnownSecrets>();
  const shown = (id: number, head: string, body: TracedBody | undefined) => {
    const text = body === undefined ? '' : bodyText(body);
    if (showsSecrets) return head + text;
    const secrets = sent.get(id) ?? new KnownSecrets();
    sent.set(id, secrets);
    return shownHead(head, (secret) => secrets.add(secret)) + secrets.hide(shownBody(text));
  };
  return {
    showsSecrets,
    wantsRequestBodies: dumps.has('bodies') || dumps.has('requests'),
    wantsAnswerBodies: dumps.has('bodies') || dumps.has('responses'),
    request(id, head, body) {
      const all = body === undefined ? undefined : { start: body, size: body.length };
      tell(BEFORE_REQUEST, `HTTP REQUEST (req ${id})`, shown(id, head, all));
    },
    answer(id, head, body) {
      tell(BEFORE_ANSWER, `HTTP RESPONSE (req ${id})`, shown(id, head, body));
      sent.delete(id);
    },
    failure(id, error) {
      sent.delete(id);
      const { message } = toSyncerError(error);
      tell(BEFORE_ANSWER, `HTTP RESPONSE (req ${id})`, `Error: ${message}`);
    },
  };
}

function bodyText({ start, size }: TracedBody): string {
  const more = size - start.length;
  return start.toString('utf8') + (more > 0 ? `\n[${more} more bytes]` : '');
}
