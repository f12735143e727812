import { toSyncerError } from '../../core/errors.ts';
import type { Emit } from '../../core/events.ts';
import type { HttpTrace, TracedBody } from '../../http/http-trace.ts';
import type { Dump } from '../log/dump-list.ts';
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
  const shown = (head: string, body: TracedBody | undefined) => {
    if (body === undefined) return showsSecrets ? head : shownHead(head);
    const text = bodyText(body);
    return showsSecrets ? head + text : shownHead(head) + shownBody(text);
  };
  return {
    showsSecrets,
    wantsRequestBodies: dumps.has('bodies') || dumps.has('requests'),
    wantsAnswerBodies: dumps.has('bodies') || dumps.has('responses'),
    request(id, head, body) {
      const all = body === undefined ? undefined : { start: body, size: body.length };
      tell(BEFORE_REQUEST, `HTTP REQUEST (req ${id})`, shown(head, all));
    },
    answer(id, head, body) {
      tell(BEFORE_ANSWER, `HTTP RESPONSE (req ${id})`, shown(head, body));
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
