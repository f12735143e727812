export { ChangeUndoer, PlacesNow, type Undone } from './change-undoer.ts';
export { leftCounts, refuseLeft } from './undo.ts';
