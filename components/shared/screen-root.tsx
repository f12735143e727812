import { useApp, useWindowSize } from 'ink';
import {
  type ComponentType,
  useEffect,
  useLayoutEffect,
  useMemo,
  useSyncExternalStore,
} from 'react';
import { isCtrl, type Key } from '../../src/screen/key.ts';
import type { Look } from '../../src/screen/look.ts';
import type { ScreenModel, Size } from '../../src/screen/screen-model.ts';
import { LookProvider } from './look-context.tsx';
import { type Redraws, startRedraws } from './redraws.ts';
import { type Stoppable, stopProcess } from './stop-process.ts';
import { useKeys } from './use-keys.ts';

/** What the drawing of a screen gets: its model, read anew at every change. */
export interface ViewProps<Model> {
  readonly model: Model;
  readonly size: Size;
}

interface ScreenRootProps<Model> {
  readonly model: Model;
  readonly View: ComponentType<ViewProps<Model>>;
  readonly look: Look;
  /** Changes that no key made are drawn at most once in this many milliseconds. */
  readonly refreshMs: number;
  readonly process: Stoppable;
}

/** Joins a model with its drawing: keys and sizes go in, changes come out; Ctrl-Z stops the process. */
export function ScreenRoot<Model extends ScreenModel<unknown>>(props: ScreenRootProps<Model>) {
  const { model, View, look, refreshMs, process } = props;
  const size: Size = useWindowSize();
  const { suspendTerminal } = useApp();
  const redraws: Redraws = useMemo(() => startRedraws(model, refreshMs), [model, refreshMs]);
  useSyncExternalStore(redraws.subscribe, redraws.version);

  useLayoutEffect(() => model.resize(size), [model, size]);
  useEffect(() => {
    const onStop = () => void stopProcess(process, suspendTerminal);
    process.on('SIGTSTP', onStop);
    return () => void process.off('SIGTSTP', onStop);
  }, [process, suspendTerminal]);

  useKeys((key: Key) => {
    if (isCtrl(key, 'z')) return void stopProcess(process, suspendTerminal);
    model.press(key);
    redraws.now();
  });
  return (
    <LookProvider look={look}>
      <View model={model} size={size} />
    </LookProvider>
  );
}
