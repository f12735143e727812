import { toSyncerError } from '../../core/errors.ts';
import type { Emit } from '../../core/events.ts';
import type { HttpTrace, TracedBody } from '../../http/http-trace.ts';
import type { Dump } from '../log/dump-list.ts';
import { redactHeaders } from '../log/redact-secrets.ts';

const BEFORE_REQUEST = '>'.repeat(60);
const BEFORE_ANSWER = '<'.repeat(60);

/**
 * Logs requests and responses at level `debug`, as rclone's `--dump` does. Credentials are hidden without `--dump
 * auth`.
 */
export function httpDump(dumps: ReadonlySet<Dump>, emit: Emit): HttpTrace {
  const showsSecrets = dumps.has('auth');
  const tell = (separator: string, title: string, text: string) => {
    for (const message of [separator, title, text, separator])
      emit({
        type: 'log',
        level: 'debug',
        message,
        lines: true,
        ...(showsSecrets ? { showsSecrets } : {}),
      });
  };
  const shownHead = (head: string) => (showsSecrets ? head : redactHeaders(head));
  return {
    showsSecrets,
    wantsRequestBodies: dumps.has('bodies') || dumps.has('requests'),
    wantsAnswerBodies: dumps.has('bodies') || dumps.has('responses'),
    request(id, head, body) {
      const text =
        shownHead(head) + (body === undefined ? '' : bodyText({ start: body, size: body.length }));
      tell(BEFORE_REQUEST, `HTTP REQUEST (req ${id})`, text);
    },
    answer(id, head, body) {
      const text = shownHead(head) + (body === undefined ? '' : bodyText(body));
      tell(BEFORE_ANSWER, `HTTP RESPONSE (req ${id})`, text);
    },
    failure(id, error) {
      const { message } = toSyncerError(error);
      tell(BEFORE_ANSWER, `HTTP RESPONSE (req ${id})`, `Error: ${message}`);
    },
  };
}

function bodyText({ start, size }: TracedBody): string {
  const more = size - start.length;
  return start.toString('utf8') + (more > 0 ? `\n[${more} more bytes]` : '');
}
