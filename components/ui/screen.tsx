import type { BoxProps } from 'ink';
import { type ComponentType, createContext, type ReactNode, useContext, useMemo } from 'react';
import type { ActionScreen } from '../../src/terminal/action-screen.ts';
import { type Look, UNICODE_GLYPHS } from '../../src/terminal/look.ts';
import type { KeyedScreen, Size } from '../../src/terminal/screen-model.ts';
import type { Tone } from '../../src/terminal/span.ts';
import { DEFAULT_THEME, drawnStyle } from '../../src/terminal/theme.ts';

const LookContext = createContext<Look>({ colour: false, glyphs: UNICODE_GLYPHS, plain: false });

/** Gives all components below the look of this terminal. */
export function LookProvider({ look, children }: { look: Look; children: ReactNode }) {
  return <LookContext value={look}>{children}</LookContext>;
}

/** How this terminal is drawn on. */
export const useLook = (): Look => useContext(LookContext);

interface ScreenFacts {
  /** The screen with its keys; components report to it what they have drawn. */
  readonly screen: ActionScreen<unknown>;
  readonly size: Size;
  /** Behind `syncer` in the first line: `ncdu`. */
  readonly title: string;
}

const ScreenContext = createContext<ScreenFacts | undefined>(undefined);

/** The screen that a component belongs to. */
export function useScreen(): ScreenFacts {
  const facts = useContext(ScreenContext);
  if (facts === undefined) throw new Error('a component of a screen stands outside of one');
  return facts;
}

/** The props of a view: its screen, whose state is read at each change. */
export interface ScreenViewProps<Model> {
  readonly model: Model;
}

/** The props of a screen as it is drawn. */
export interface DrawnScreenProps {
  readonly model: ActionScreen<unknown>;
  readonly size: Size;
}

/** A component that draws a screen with its view. @param title behind `syncer` in the first line: `ncdu` */
export function screenView<Model extends KeyedScreen<unknown>>(
  model: Model,
  View: ComponentType<ScreenViewProps<Model>>,
  title: string,
) {
  return ({ model: screen, size }: DrawnScreenProps) => {
    const facts = useMemo(() => ({ screen, size, title }), [screen, size]);
    return (
      <ScreenContext value={facts}>
        <View model={model} />
      </ScreenContext>
    );
  };
}

interface Room extends Size {
  /** Something stands over it: a click there does nothing to it. */
  readonly isCovered: boolean;
  readonly hasPane: boolean;
}

const WINDOW: Room = { columns: 80, rows: 24, isCovered: false, hasPane: false };
const RoomContext = createContext(WINDOW);

/** Gives the components below their room. */
export function RoomProvider(props: Size & Partial<Room> & { readonly children: ReactNode }) {
  const { columns, rows, isCovered = false, hasPane = false, children } = props;
  const room = useMemo(
    () => ({ columns, rows, isCovered, hasPane }),
    [columns, rows, isCovered, hasPane],
  );
  return <RoomContext value={room}>{children}</RoomContext>;
}

/** The columns and rows that a component has. */
export const useRoom = (): Room => useContext(RoomContext);

const NOTHING = {
  top: '',
  bottom: '',
  left: '',
  right: '',
  topLeft: '',
  topRight: '',
  bottomLeft: '',
  bottomRight: '',
};

/** The props of a box with a border in a tone, at the sides that have a character. */
export function useEdge(tone: Tone, parts: Partial<typeof NOTHING>): BoxProps {
  const { colour, theme = DEFAULT_THEME } = useLook();
  const { color, dimColor = false } = colour ? drawnStyle({ text: '', tone }, theme) : {};
  return {
    borderStyle: { ...NOTHING, ...parts },
    borderTop: parts.top !== undefined,
    borderBottom: parts.bottom !== undefined,
    borderLeft: parts.left !== undefined,
    borderRight: parts.right !== undefined,
    borderDimColor: dimColor,
    ...(color === undefined ? {} : { borderColor: color }),
  };
}
