/**
 * The only way to the screens. Nothing of Ink or React is loaded before one is shown; everything outside this folder
 * imports this file and no other.
 */
export type { ScreenTerminal } from './shared/run-screen.tsx';
