import { type Answer, textAnswer } from '../http/answer.ts';
import type { RequestHandler } from '../http/serve-connection.ts';
import type { HookCounters } from '../run/hook-counters.ts';
import type { RunLedger } from '../run/run-ledger.ts';
import { METRICS_TYPE, metricsText, type ServerFigures } from './metrics-text.ts';

/** What can be told of a server. */
export interface StatusSources {
  readonly counters: HookCounters;
  /** Absent where runs are not kept. */
  readonly ledger: RunLedger | undefined;
  readonly figures: () => ServerFigures;
  /** The ids of the hooks. */
  readonly hookIds: () => readonly string[];
  /** The server is about to stop: it is no longer healthy. */
  readonly stopping: () => boolean;
}

/** Pages about the server. */
export type StatusPage = 'healthz' | 'metrics' | 'status';

/** The page about the server at a target, of those that are switched on; `undefined` for every other target. */
function statusAnswer(
  target: string,
  pages: readonly StatusPage[],
  sources: StatusSources,
): Answer | undefined {
  const path = target.split('?', 1)[0] ?? '';
  const page = pages.find((name) => path === `/${name}`);
  if (page === undefined) return undefined;
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
    runs: sources.ledger?.list() ?? [],
  };
  const type = ['Content-Type', 'application/json'] as const;
  return textAnswer(200, `${JSON.stringify(status, undefined, 2)}\n`, [type]);
}

/** A handler for an address that serves nothing but pages about the server. */
export function statusHandler(sources: StatusSources): RequestHandler {
  const pages = ['healthz', 'metrics', 'status'] as const;
  return async ({ head }) =>
    statusAnswer(head.target, pages, sources) ?? textAnswer(404, '404 page not found\n');
}

/** A handler that answers some pages about the server, and has `handle` answer everything else. */
export function withStatusPages(
  handle: RequestHandler,
  pages: readonly StatusPage[],
  sources: StatusSources,
): RequestHandler {
  if (pages.length === 0) return handle;
  return async (request) =>
    statusAnswer(request.head.target, pages, sources) ?? (await handle(request));
}
