export { ChangeUndoer, type Undone } from './change-undoer.ts';
export { PlacesNow } from './places-now.ts';
export { leftCounts, refuseLeft } from './undo.ts';
