import { Box } from 'ink';
import type { ComponentType } from 'react';
import type { ActionScreen } from '../../src/terminal/action-screen.ts';
import type { KeyedScreen, Size } from '../../src/terminal/screen-model.ts';
import { ScreenProvider } from './screen-context.tsx';

/** What a view is drawn from: a screen, whose state is read at each change. */
export interface ScreenViewProps<Model> {
  readonly model: Model;
}

interface DrawnScreenProps {
  readonly model: ActionScreen<unknown>;
  readonly size: Size;
}

/** The view of a screen in a window. @param title behind `syncer` in the first line: `ncdu` */
export function screenView<Model extends KeyedScreen<unknown>>(
  model: Model,
  View: ComponentType<ScreenViewProps<Model>>,
  title: string,
) {
  return ({ model: screen, size }: DrawnScreenProps) =>
    screen.isBlank ? (
      <Box height={size.rows} />
    ) : (
      <ScreenProvider value={{ screen, size, title }}>
        <View model={model} />
      </ScreenProvider>
    );
}
