import { createContext, type ReactNode, useContext, useMemo } from 'react';
import type { ActionScreen } from '../../src/terminal/action-screen.ts';
import type { Size } from '../../src/terminal/screen-model.ts';

/** What all components of a screen have in common. */
export interface ScreenFacts {
  /** The screen with its keys; views report to it what they have drawn. */
  readonly screen: ActionScreen<unknown>;
  /** The window. */
  readonly size: Size;
  /** Behind `syncer` in the first line: `ncdu`. */
  readonly title: string;
}

const ScreenContext = createContext<ScreenFacts | undefined>(undefined);

/** Gives a screen to all components below. */
export const ScreenProvider = ScreenContext.Provider;

/** The screen that a component belongs to. */
export function useScreen(): ScreenFacts {
  const facts = useContext(ScreenContext);
  if (facts === undefined) throw new Error('a component of a screen stands outside of one');
  return facts;
}

/** The room of a component. */
interface Room extends Size {
  /** Something stands over it: a click there does nothing to it. */
  readonly isCovered: boolean;
  /** There is a pane beside it. */
  readonly hasPane: boolean;
}

const WINDOW: Room = { columns: 80, rows: 24, isCovered: false, hasPane: false };
const RoomContext = createContext(WINDOW);

interface RoomProviderProps extends Size, Partial<Omit<Room, keyof Size>> {
  readonly children: ReactNode;
}

/** Gives the components below their room. */
export function RoomProvider(props: RoomProviderProps) {
  const { columns, rows, isCovered = false, hasPane = false, children } = props;
  const room = useMemo(
    () => ({ columns, rows, isCovered, hasPane }),
    [columns, rows, isCovered, hasPane],
  );
  return <RoomContext value={room}>{children}</RoomContext>;
}

/** The columns and rows that a component has. */
export function useRoom(): Room {
  return useContext(RoomContext);
}
