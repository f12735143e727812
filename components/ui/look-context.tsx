import { createContext, type ReactNode, useContext } from 'react';
import { type Look, UNICODE_GLYPHS } from '../../src/terminal/look.ts';

const LookContext = createContext<Look>({ colour: false, glyphs: UNICODE_GLYPHS, plain: false });

/** Gives all components below the look of this terminal. */
export function LookProvider({ look, children }: { look: Look; children: ReactNode }) {
  return <LookContext value={look}>{children}</LookContext>;
}

/** How this terminal is drawn on. */
export function useLook(): Look {
  return useContext(LookContext);
}
