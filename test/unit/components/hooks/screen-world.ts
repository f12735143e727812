import { hooksKeys, takeKey } from '../../../../components/hooks/hooks-keys.ts';
import {
  FIRST_STATE,
  type HooksEffect,
  type HooksEvent,
  type HooksState,
  takeEvent,
} from '../../../../components/hooks/hooks-state.ts';
import { type Key, namedKey, textKey } from '../../../../src/terminal/key.ts';
import type { HookOverview } from '../../../../src/webhook/control/control-client.ts';
import type { RunRecord } from '../../../../src/webhook/run/run-ledger.ts';

export const run = (id: string, more: Partial<RunRecord> = {}): RunRecord => ({
  ...{ id, hook: 'deploy', requestId: 'r', method: 'POST', target: '/hooks/deploy' },
  ...{ remoteAddress: '10.0.0.1:5', state: 'done', receivedMs: 1000 },
  ...more,
});
export const hook = (id: string, more: Partial<HookOverview> = {}): HookOverview => ({
  ...{ id, command: `/bin/${id}`, running: 0, waiting: 0, refused: 0, failed: 0 },
  ...more,
});

const NAMES: Readonly<Record<string, Key>> = {
  ...{ up: namedKey('up'), down: namedKey('down'), enter: namedKey('enter') },
  ...{ esc: namedKey('escape'), home: namedKey('home'), end: namedKey('end') },
  ...{ pgup: namedKey('page-up'), pgdn: namedKey('page-down') },
};

/** A screen that is fed keys, by name or letter, and events; it keeps what was to be done. */
export function screen(room = { columns: 80, rows: 10 }) {
  const effects: HooksEffect[] = [];
  let state: HooksState = FIRST_STATE;
  const apply = (step: { state: HooksState; effects: readonly HooksEffect[] }) => {
    state = step.state;
    effects.push(...step.effects);
  };
  return {
    effects,
    state: () => state,
    pressKey: (key: Key) => apply(takeKey(state, key, room)),
    press: (...keys: string[]) => {
      for (const key of keys) apply(takeKey(state, NAMES[key] ?? textKey(key), room));
    },
    happen: (...events: HooksEvent[]) => {
      for (const event of events) apply(takeEvent(state, event));
    },
  };
}

/** A screen with two hooks and three runs. */
export function filledScreen(room?: { columns: number; rows: number }) {
  const shown = screen(room);
  const runs = [
    run('3'),
    run('2', { hook: 'idle' }),
    run('1', { state: 'failed', failure: 'exit status 1' }),
  ];
  const [last] = runs;
  shown.happen(
    { type: 'hooks', hooks: [hook('deploy', last && { last }), hook('idle')] },
    { type: 'history', runs },
  );
  return shown;
}

/** Such a screen as a model with a view. */
export function keyedScreen({ state, pressKey }: ReturnType<typeof screen>) {
  return {
    ...{ keys: () => hooksKeys(state()), press: pressKey, nowMs: () => 61_000 },
    get state() {
      return state();
    },
    asked: () => state().asked,
    resize: () => undefined,
    subscribe: () => () => undefined,
    version: () => 0,
    result: new Promise<void>(() => {}),
  };
}
