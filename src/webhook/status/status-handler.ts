import { harmlessJson } from '../../core/harmless.ts';
import { type HookAnswer, textAnswer } from '../http/answer.ts';
import type { RequestHandler } from '../http/connection.ts';
import type { HookCounters } from '../run/hook-counters.ts';
import type { RunLedger } from '../run/run-ledger.ts';
import { METRICS_TYPE, metricsText, type ServerFigures } from './metrics-text.ts';

/** What can be told of a server. */
export interface StatusSources {
  readonly counters: HookCounters;
  readonly ledger: RunLedger;
  readonly figures: () => ServerFigures;
  /** The ids of the hooks. */
  readonly hookIds: () => readonly string[];
  /** The server is about to stop: it is no longer healthy. */
  readonly stopping: () => boolean;
}

/** Pages about the server. */
export type StatusPage = 'healthz' | 'metrics' | 'status';

/** Which of some pages a target names. */
function statusPageAt(target: string, pages: readonly StatusPage[]): StatusPage | undefined {
  if (pages.length === 0) return undefined;
  const path = target.split('?', 1)[0] ?? '';
  return pages.find((name) => path === `/${name}`);
}

async function answerWith(page: StatusPage, sources: StatusSources): Promise<HookAnswer> {
  if (page === 'healthz') {
    return sources.stopping() ? textAnswer(503, 'stopping\n') : textAnswer(200, 'ok\n');
  }
  const { counters, figures } = sources;
  if (page === 'metrics') {
    const text = metricsText(counters.hooks, figures());
    return textAnswer(200, text, [['Content-Type', METRICS_TYPE]]);
  }
  const status = {
    server: figures(),
    hooks: sources.hookIds(),
    runs: sources.ledger.list(),
  };
  const type = ['Content-Type', 'application/json'] as const;
  return textAnswer(200, `${harmlessJson(JSON.stringify(status, undefined, 2))}\n`, [type]);
}

/** A handler for an address that serves nothing but pages about the server. */
export function statusHandler(sources: StatusSources): RequestHandler {
  return async ({ head }) => {
    const page = statusPageAt(head.target, ['healthz', 'metrics', 'status']);
    return page === undefined
      ? textAnswer(404, '404 page not found\n')
      : await answerWith(page, sources);
  };
}

/** A handler that answers some pages about the server, and has `handle` answer everything else. */
export function withStatusPages(
  handle: RequestHandler,
  pages: readonly StatusPage[],
  sources: StatusSources,
): RequestHandler {
  if (pages.length === 0) return handle;
  return (request) => {
    const page = statusPageAt(request.head.target, pages);
    return page === undefined ? handle(request) : answerWith(page, sources);
  };
}
