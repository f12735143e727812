export { ChangeUndoer, type Undone } from './change-undoer.ts';
export { PlacesNow } from './places-now.ts';
export { belowFileError, blockedError } from './run-undo.ts';
