import type { Socket } from 'node:net';
import { join } from 'node:path';
import { SyncerError } from '../../core/errors.ts';
import { type LinePeer, serveLines } from '../../system/serve-lines.ts';
import type { Hook } from '../hook.ts';
import { shownRequest } from '../log/shown-request.ts';
import type { HookRequest } from '../parameter/parameter-value.ts';
import { isOver, type RunLedger, type RunRecord, type RunState } from '../run/run-ledger.ts';
import type { ControlEvent, ControlQuestion, HookOverview, RunDetails } from './control-client.ts';

/** What the control socket works on. */
export interface ControlServices {
  readonly ledger: RunLedger;
  readonly hooks: () => readonly Hook[];
  /** Of all hooks, in no shown request. */
  readonly secrets: () => readonly string[];
  /** Calls `listener` after a reload. @returns ends that */
  readonly onReload: (listener: () => void) => () => void;
  /** Runs a hook again; gives the id of the new run. */
  readonly rerun: (run: RunRecord, hook: Hook, request: HookRequest) => string;
}

/** Answers a question. Throws `SyncerError`. */
function answerControl(
  question: ControlQuestion,
  services: ControlServices,
  peer: LinePeer<ControlEvent>,
): unknown {
  const { ledger } = services;
  switch (question.ask) {
    case 'hooks':
      return overviews(services);
    case 'history':
      return ledger.list();
    case 'run': {
      const { run, hook, output, request } = keptOf(question.run, services);
      return {
        run,
        output: output.toString('base64'),
        canRerun: request !== undefined,
        ...(request && { request: shownRequest(hook, request, services.secrets()) }),
      } satisfies RunDetails;
    }
    case 'rerun': {
      const { run, hook, request } = keptOf(question.run, services);
      if (request === undefined) {
        const why = `the request of ${run.id} was too large to be kept`;
        throw new SyncerError('file-not-found', why);
      }
      if (hook === undefined) throw new SyncerError('file-not-found', `no hook "${run.hook}"`);
      return keptOf(services.rerun(run, hook, request), services).run;
    }
    case 'watch':
      peer.atEnd(
        ledger.watch((event) => {
          if (event.type === 'run') peer.send({ event: 'run', run: event.run });
        }),
      );
      peer.atEnd(
        services.onReload(() => peer.send({ event: 'hooks', hooks: overviews(services) })),
      );
      return null;
    case 'follow':
      follow(keptOf(question.run, services), ledger, peer);
      return null;
    default:
      throw new SyncerError(
        'file-not-found',
        `unknown request "${(question as { ask?: unknown }).ask}"`,
      );
  }
}

function overviews({ ledger, hooks }: ControlServices): HookOverview[] {
  const runs = Map.groupBy(ledger.list(), ({ hook }) => hook);
  return hooks().map(({ id, executeCommand }) => {
    const own = runs.get(id) ?? [];
    const [last] = own;
    const count = (wanted: RunState) => own.filter(({ state }) => state === wanted).length;
    return {
      id,
      command: executeCommand,
      running: count('running'),
      waiting: count('waiting'),
      refused: count('refused'),
      failed: count('failed'),
      ...(last && { last }),
    };
  });
}

/** A run with its hook, if that is still there, and what is kept of it. */
function keptOf(id: string, { ledger, hooks }: ControlServices) {
  const found = ledger.details(id);
  if (found === undefined)
    throw new SyncerError('file-not-found', `no run ${id} (it may have expired)`);
  return { ...found, hook: hooks().find((hook) => hook.id === found.run.hook) };
}

function follow(
  { run, output: written }: ReturnType<typeof keptOf>,
  ledger: RunLedger,
  { send, atEnd }: LinePeer<ControlEvent>,
): void {
  const { id } = run;
  const output = (chunk: Buffer) =>
    send({ event: 'output', run: id, data: chunk.toString('base64') });
  if (written.length > 0) output(written);
  if (isOver(run.state)) {
    send({ event: 'end', run });
    return;
  }
  const stop = ledger.watch((event) => {
    if (event.type === 'output' && event.id === id) output(event.chunk);
    if (event.type !== 'run' || event.run.id !== id || !isOver(event.run.state)) return;
    send({ event: 'end', run: event.run });
    stop();
  });
  atEnd(stop);
}

/**
 * The default path of a server's control socket: in the runtime directory of the service, or in that of the user;
 * `undefined` if there is none.
 */
export function serverControlPath(env: NodeJS.ProcessEnv, uid: number): string | undefined {
  const own = env['RUNTIME_DIRECTORY']?.split(':', 1)[0];
  if (own) return join(own, 'control.sock');
  const user = env['XDG_RUNTIME_DIR'];
  return controlPaths(env).find(
    (path) => uid === 0 || (user !== undefined && path.startsWith(user)),
  );
}

/** Where a server's control socket may lie, the likeliest first. */
export function controlPaths(env: NodeJS.ProcessEnv): string[] {
  const folders = [env['XDG_RUNTIME_DIR'] || [], '/run'].flat();
  return folders.map((folder) => join(folder, 'webhook', 'control.sock'));
}

/** Serves one connection of the control socket until it closes. */
export function serveControl(socket: Socket, services: ControlServices): void {
  serveLines<ControlQuestion, ControlEvent>(socket, (question, peer) =>
    answerControl(question, services, peer),
  );
}
