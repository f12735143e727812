export { readChangeLines, readUndo } from './history.ts';
