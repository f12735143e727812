import type { Context } from '../../core/context.ts';
import { linkedAbort } from '../../core/linked-abort.ts';
import { tooLong } from '../../sync/transfer-limit.ts';

/** A context that ends with `max-duration` after a time, and the way to put its timer off. */
export interface LimitedContext {
  readonly context: Context;
  /** The run is over: forget the limit. */
  end(): void;
}

/** The context with its signal aborted after `ms` milliseconds; unlimited where `ms` is `undefined`. */
export function withTimeLimit(context: Context, ms: number | undefined): LimitedContext {
  if (ms === undefined) return { context, end: () => {} };
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(tooLong()), ms);
  return {
    context: { ...context, signal: linkedAbort(context.signal, controller.signal).signal },
    end: () => clearTimeout(timer),
  };
}
