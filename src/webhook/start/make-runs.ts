import type { FlagValues } from '../command-line/parse-flags.ts';
import { HookCounters } from '../run/hook-counters.ts';
import { runIds } from '../run/run-id.ts';
import { RunLedger } from '../run/run-ledger.ts';
import { RunQueues } from '../run/run-queues.ts';
import type { RunServices } from '../server/start-run.ts';

/** Requests with larger bodies are not kept for another run. */
const MAX_REQUEST_BYTES = 256 << 10;
/** So much of what a command wrote is kept. */
const MAX_OUTPUT_BYTES = 64 << 10;

/** What runs are started and kept with, as far as the command line wants it. */
export function makeRuns(flags: FlagValues): RunServices & {
  readonly ledgerOrEmpty: RunLedger;
  readonly countersOrEmpty: HookCounters;
} {
  const control = flags.control !== '';
  const ledger = new RunLedger({
    maxOver: Math.max(0, flags.history),
    maxRequestBytes: control ? MAX_REQUEST_BYTES : -1,
    maxOutputBytes: control ? MAX_OUTPUT_BYTES : 0,
  });
  const counters = new HookCounters();
  const isAsked = control || flags.status !== '';
  return {
    queues: new RunQueues(Math.max(0, flags['max-commands'])),
    newId: runIds(Date.now()),
    ledger: isAsked ? ledger : undefined,
    counters: isAsked || flags.metrics ? counters : undefined,
    keepsOutput: control,
    ledgerOrEmpty: ledger,
    countersOrEmpty: counters,
  };
}
